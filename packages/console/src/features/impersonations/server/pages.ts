import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../kernel/input.ts'
import { log } from '../../../kernel/log-line.ts'
import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import type { HandOver } from '../../../web/answers.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import type { PauseAnswer } from '../../../web/pause-answers.ts'
import { customerPage } from '../views/customer-page.tsx'
import { customersPage } from '../views/customers-page.tsx'
import { peoplePage } from '../views/people-page.tsx'
import { runningPage } from '../views/running-page.tsx'
import { act, actBody, openingOf } from './act.ts'
import { continueImpersonation, showContinuable, WIDER } from './continue.ts'
import { PAST, SEARCH, searchCustomers, showCustomer } from './customers.ts'
import { SOUGHT, suggestPeople } from './people.ts'
import {
  endAllRunning,
  endRunning,
  type FindPauses,
  listRunning,
  OPERATOR,
  WANTED,
} from './running.ts'

const { action, file, page } = linesFor<Call>()
const ACTS = {
  isActing: true,
  writes: true,
  after: (handOver: HandOver, call: Call) => ({ opens: openingOf(handOver, call) }),
} as const

export const impersonationPages = [
  page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
  action('/impersonations', ACTING_ROLES, actBody, act, ACTS),
  action('/impersonations/:id/continue', ACTING_ROLES, WIDER, continueImpersonation, ACTS),
  // The pages that are not from the server yet ask it.
  file('/impersonations/:id/continue', ACTING_ROLES, showContinuable),
  action('/running/end', ACTING_ROLES, OPERATOR, endAllRunning, {
    after: ({ ended }) => ({ said: { key: 'endedAll', count: ended } }),
  }),
  action('/running/:id/end', ACTING_ROLES, {}, endRunning, {
    after: () => ({ said: { key: 'ended' } }),
  }),
  page('/customers', ACTING_ROLES, SEARCH, searchCustomers, customersPage),
  page('/customers/:id', ACTING_ROLES, PAST, showCustomer, customerPage),
]

/** @param findPauses finds the operators who may not start now */
export function runningPages<C extends Call>(findPauses: FindPauses<C>) {
  const showRunning = async (call: C & { readonly query: Read<typeof WANTED> }) =>
    listRunning(call, await findPauses(call).catch(noPauses))
  return [linesFor<C>().page('/running', ALL_ROLES, WANTED, showRunning, runningPage)]
}

/** What runs can be ended while the audit cannot be read, too. */
function noPauses(error: unknown): readonly PauseAnswer[] {
  log(`no pauses of operators: ${reasonOf(error)}`)
  return []
}

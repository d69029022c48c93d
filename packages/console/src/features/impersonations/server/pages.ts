import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../kernel/input.ts'
import { log } from '../../../kernel/log-line.ts'
import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import type { PauseAnswer } from '../../../web/pause-answers.ts'
import { customerPage } from '../views/customer-page.tsx'
import { customersPage } from '../views/customers-page.tsx'
import { peoplePage } from '../views/people-page.tsx'
import { runningPage } from '../views/running-page.tsx'
import { PAST, SEARCH, searchCustomers, showCustomer } from './customers.ts'
import { SOUGHT, suggestPeople } from './people.ts'
import { type FindPauses, listRunning, WANTED } from './running.ts'

/** What runs can be ended while the audit cannot be read, too. */
function noPauses(error: unknown): readonly PauseAnswer[] {
  log(`no pauses of operators: ${reasonOf(error)}`)
  return []
}

/** @param findPauses finds the operators who may not start now */
export function impersonationPages<C extends Call>(findPauses: FindPauses<C>) {
  const { page } = linesFor<C>()
  const showRunning = async (call: C & { readonly query: Read<typeof WANTED> }) =>
    listRunning(call, await findPauses(call).catch(noPauses))
  return [
    page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
    page('/customers', ACTING_ROLES, SEARCH, searchCustomers, customersPage),
    page('/customers/:id', ACTING_ROLES, PAST, showCustomer, customerPage),
    page('/running', ALL_ROLES, WANTED, showRunning, runningPage),
  ]
}

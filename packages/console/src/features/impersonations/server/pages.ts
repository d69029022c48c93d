import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import { actForm } from '../../../web/acting/asked-for.ts'
import type { HandOver } from '../../../web/answers.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { type ApprovalPart, actPage } from '../views/act-page.tsx'
import { customerPage } from '../views/customer-page.tsx'
import { customersPage } from '../views/customers-page.tsx'
import { peoplePage } from '../views/people-page.tsx'
import { act, actInEmergency, emergencyForm, openingOf } from './act.ts'
import { ACT_LINK, showAct } from './act-page.ts'
import { continueImpersonation, showContinuable, WIDER } from './continue.ts'
import { PAST, SEARCH, searchCustomers, showCustomer } from './customers.ts'
import { SOUGHT, suggestPeople } from './people.ts'
import { endAllRunning, endRunning, OPERATOR } from './running.ts'

const { action, file, page } = linesFor<Call>()
const ACTS = {
  isActing: true,
  writes: true,
  after: (handOver: HandOver, call: Call) => ({ opens: openingOf(handOver, call) }),
} as const

/** @param Approval says which approval is missing, and asks for it */
export const impersonationPages = (Approval: ApprovalPart) => [
  page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
  page('/act', ACTING_ROLES, ACT_LINK, showAct, actPage(Approval)),
  action('/impersonations', ACTING_ROLES, actForm, act, ACTS),
  action('/impersonations/emergency', ACTING_ROLES, emergencyForm, actInEmergency, ACTS),
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

import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { customerPage } from '../views/customer-page.tsx'
import { customersPage } from '../views/customers-page.tsx'
import { peoplePage } from '../views/people-page.tsx'
import { runningPage } from '../views/running-page.tsx'
import { PAST, SEARCH, searchCustomers, showCustomer } from './customers.ts'
import { SOUGHT, suggestPeople } from './people.ts'
import { type FindPauses, listRunning, WANTED } from './running.ts'

/** @param findPauses finds the operators who may not start now */
export function impersonationPages<C extends Call>(findPauses: FindPauses<C>) {
  const { page } = linesFor<C>()
  return [
  page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
  page('/customers', ACTING_ROLES, SEARCH, searchCustomers, customersPage),
  page('/customers/:id', ACTING_ROLES, PAST, showCustomer, customerPage),
    page('/running', ALL_ROLES, WANTED, async (call) => listRunning(call, await findPauses(call)), runningPage),
  ]
}

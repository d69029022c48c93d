import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { customerPage } from '../views/customer-page.tsx'
import { customersPage } from '../views/customers-page.tsx'
import { peoplePage } from '../views/people-page.tsx'
import { PAST, SEARCH, searchCustomers, showCustomer } from './customers.ts'
import { SOUGHT, suggestPeople } from './people.ts'

const { page } = linesFor<Call>()

export const impersonationPages = [
  page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
  page('/customers', ACTING_ROLES, SEARCH, searchCustomers, customersPage),
  page('/customers/:id', ACTING_ROLES, PAST, showCustomer, customerPage),
]

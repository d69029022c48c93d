import { words } from '../kit/text.tsx'
import type { Route } from '../session/page-routes.ts'
import { ActPage } from './act-page.tsx'
import { CustomerPage } from './customer-page.tsx'
import { CustomersPage } from './customers-page.tsx'

const ACTING_ROLES = ['operator', 'lead'] as const

export const operatorRoutes: readonly Route[] = [
  {
    path: '/',
    roles: ACTING_ROLES,
    page: CustomersPage,
    link: words.impersonations.operators.title,
  },
  // Esc leads here from a customer.
  { path: '/customers', roles: ACTING_ROLES, page: CustomersPage },
  { path: '/act', roles: ACTING_ROLES, page: ActPage },
  { path: '/customers/:id', roles: ACTING_ROLES, page: CustomerPage },
]

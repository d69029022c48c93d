import type { Route } from '../routes.ts'
import { words } from '../text.tsx'
import { ActPage } from './act-page.tsx'
import { CustomerPage } from './customer-page.tsx'
import { CustomersPage } from './customers-page.tsx'

const ROLES = ['operator', 'lead'] as const

export const operatorRoutes: readonly Route[] = [
  { path: '/', roles: ROLES, page: CustomersPage, link: words.operators.title },
  // Esc leads here from a customer.
  { path: '/customers', roles: ROLES, page: CustomersPage },
  { path: '/act', roles: ROLES, page: ActPage },
  { path: '/customers/:id', roles: ROLES, page: CustomerPage },
]

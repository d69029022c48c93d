import { permitRoutes } from './features/permits/server/api/routes.ts'
import type { PermitCall } from './features/permits/server/api/shown.ts'
import { ALL_ROLES } from './kernel/roles.ts'
import { me } from './web/me.ts'
import { type StaffRoute, staff } from './web/routes.ts'

/** What people of the support ask, by their roles. The first one that matches answers. */
export const STAFF_ROUTES: readonly StaffRoute<PermitCall>[] = [
  staff.get('/me', ALL_ROLES, me),
  ...permitRoutes,
]

import type { PermitCall } from './features/permits/server/api/shown.ts'
import { ALL_ROLES } from './kernel/roles.ts'
import { me } from './web/me.ts'
import { type StaffRoute, staff } from './web/routes.ts'

/** What people of the support ask beside the pages. */
export const STAFF_ROUTES: readonly StaffRoute<PermitCall>[] = [staff.get('/me', ALL_ROLES, me)]

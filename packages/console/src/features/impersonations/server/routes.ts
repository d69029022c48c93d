import { ALL_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { listRunning } from './running.ts'

export const impersonationRoutes: readonly StaffRoute[] = [
  staff.get('/running', ALL_ROLES, listRunning),
]

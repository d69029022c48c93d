import { ACTING_ROLES, ALL_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { act } from './act.ts'
import { continueImpersonation, showContinuable } from './continue.ts'
import { endAllRunning, listRunning } from './running.ts'

const ACTS = { isActing: true, writes: true } as const

export const impersonationRoutes: readonly StaffRoute[] = [
  staff.post('/impersonations', ACTING_ROLES, act, ACTS),
  staff.post('/impersonations/:id/continue', ACTING_ROLES, continueImpersonation, ACTS),
  staff.get('/impersonations/:id/continue', ACTING_ROLES, showContinuable),
  staff.get('/running', ALL_ROLES, listRunning),
  staff.post('/running/end', ACTING_ROLES, endAllRunning),
]

import { ACTING_ROLES, ALL_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { act } from './act.ts'
import { showRow, showTimeline } from './audit.ts'
import { continueImpersonation, showContinuable } from './continue.ts'
import { hold, release } from './hold.ts'
import { endAllRunning, endRunning, listRunning } from './running.ts'

const HAS_QUERY = { hasQuery: true } as const
const ACTS = { isActing: true, writes: true } as const

export const impersonationRoutes: readonly StaffRoute[] = [
  staff.post('/impersonations', ACTING_ROLES, act, ACTS),
  staff.post('/impersonations/:id/continue', ACTING_ROLES, continueImpersonation, ACTS),
  staff.get('/impersonations/:id/continue', ACTING_ROLES, showContinuable),
  staff.get('/running', ALL_ROLES, listRunning),
  staff.post('/running/end', ACTING_ROLES, endAllRunning),
  staff.post('/running/:id/end', ACTING_ROLES, endRunning),
  staff.get('/audit/:id', ALL_ROLES, showRow),
  staff.get('/audit/:id/timeline', ALL_ROLES, showTimeline, HAS_QUERY),
  staff.post('/audit/:id/hold', SUPERVISING_ROLES, hold, { writes: true }),
  staff.post('/audit/:id/release', SUPERVISING_ROLES, release, { writes: true }),
]

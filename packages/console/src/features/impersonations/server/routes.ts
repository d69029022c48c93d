import { ALL_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { countNewer, searchAudit, showRow, showTimeline } from './audit.ts'
import { exportEntries, exportEntriesOfOne, exportRows } from './exports.ts'
import { hold, release } from './hold.ts'

/** An export of the audit is an entry itself. */
const EXPORTS = { writes: true, streams: true } as const
const ROW_EXPORTS = { ...EXPORTS, hasQuery: true } as const
const HAS_QUERY = { hasQuery: true } as const

export const impersonationRoutes: readonly StaffRoute[] = [
  staff.get('/audit', ALL_ROLES, searchAudit, HAS_QUERY),
  staff.get('/audit/newer', ALL_ROLES, countNewer, HAS_QUERY),
  staff.get('/audit/export.csv', SUPERVISING_ROLES, exportRows, ROW_EXPORTS),
  staff.get('/audit/entries.jsonl', SUPERVISING_ROLES, exportEntries, EXPORTS),
  staff.get('/audit/:id', ALL_ROLES, showRow),
  staff.get('/audit/:id/entries.jsonl', SUPERVISING_ROLES, exportEntriesOfOne, EXPORTS),
  staff.get('/audit/:id/timeline', ALL_ROLES, showTimeline, HAS_QUERY),
  staff.post('/audit/:id/hold', SUPERVISING_ROLES, hold, { writes: true }),
  staff.post('/audit/:id/release', SUPERVISING_ROLES, release, { writes: true }),
]

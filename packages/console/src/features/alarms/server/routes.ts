import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { acknowledgeAlarms } from './acknowledge.ts'
import { listAlarms } from './list.ts'

export const alarmRoutes: readonly StaffRoute[] = [
  staff.get('/alarms', SUPERVISING_ROLES, listAlarms),
  staff.post('/alarms/acknowledge', ['lead'], acknowledgeAlarms, { writes: true }),
]

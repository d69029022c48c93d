import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { acknowledgeAlarm } from './acknowledge.ts'
import { listAlarms } from './list.ts'

export const alarmRoutes: readonly StaffRoute[] = [
  staff.get('/alarms', SUPERVISING_ROLES, listAlarms),
  staff.post('/audit/:id/acknowledge', ['lead'], acknowledgeAlarm, { writes: true }),
]

import { accountRoutes } from './features/account/server/routes.ts'
import { countOpenAlarms } from './features/alarms/server/list.ts'
import { alarmRoutes } from './features/alarms/server/routes.ts'
import { impersonationRoutes } from './features/impersonations/server/routes.ts'
import { overviewRoutes } from './features/overview/server/routes.ts'
import { customerPermitRoutes, permitRoutes } from './features/permits/server/api/routes.ts'
import type { CustomerPermitCall, PermitCall } from './features/permits/server/api/shown.ts'
import { countToDecide } from './features/permits/server/api/waiting.ts'
import type { ErasingCall } from './features/personal-data/server/api.ts'
import { personalDataRoutes } from './features/personal-data/server/routes.ts'
import { ruleRoutes } from './features/rules/server/routes.ts'
import { ALL_ROLES } from './kernel/roles.ts'
import { me } from './web/me.ts'
import { type CustomerRoute, type StaffRoute, staff } from './web/routes.ts'
import { changeStream } from './web/stream/stream.ts'

const streamChanges = changeStream<PermitCall>({
  countAlarms: countOpenAlarms,
  countToDecide: async ({ permits, caller }, onLate) =>
    permits ? countToDecide(permits, caller, onLate) : 0,
  findOperator: async ({ audit, permits, pauses }, id) => {
    const found = (await audit.store.row(id)) ?? (await permits?.get(id)) ?? (await pauses.get(id))
    return found?.operator?.id
  },
})

/** What people of the support ask, by their roles. The first one that matches answers. */
export const STAFF_ROUTES: readonly StaffRoute<ErasingCall & PermitCall>[] = [
  staff.get('/me', ALL_ROLES, me),
  ...impersonationRoutes,
  ...permitRoutes,
  ...alarmRoutes,
  ...overviewRoutes,
  ...ruleRoutes,
  ...personalDataRoutes,
  staff.get('/stream', ALL_ROLES, streamChanges, { streams: true }),
]

/** What customers ask of what is theirs. */
export function customerRoutes(): readonly CustomerRoute<CustomerPermitCall>[] {
  return [...accountRoutes, ...customerPermitRoutes()]
}

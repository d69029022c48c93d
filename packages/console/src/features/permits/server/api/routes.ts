import { ACTING_ROLES, ALL_ROLES, SUPERVISING_ROLES } from '../../../../kernel/roles.ts'
import { type CustomerRoute, customer, type StaffRoute, staff } from '../../../../web/routes.ts'
import { ask, askInEmergency, preview } from './ask.ts'
import { decide } from './decide.ts'
import { exportHistory, listHistory } from './history.ts'
import { listPermits, showPermit } from './lists.ts'
import { objections } from './objections.ts'
import { customersAnswers } from './of-customer.ts'
import { listOwnPauses, listPauses, pauseOperator, resume, showPause } from './pauses.ts'
import type { CustomerPermitCall, PermitCall } from './shown.ts'

/** An export is an entry of the audit. */
const EXPORTS = { writes: true, streams: true, hasQuery: true } as const

export const permitRoutes: readonly StaffRoute<PermitCall>[] = [
  staff.post('/impersonations/preview', ACTING_ROLES, preview),
  staff.get('/pauses', ALL_ROLES, listPauses, { hasQuery: true }),
  staff.post('/pauses', ['lead'], pauseOperator),
  staff.get('/pauses/:id', ALL_ROLES, showPause),
  staff.post('/pauses/:id/resume', ALL_ROLES, resume),
  staff.get('/permits', ALL_ROLES, listPermits, { hasQuery: true }),
  staff.post('/permits', ACTING_ROLES, ask),
  staff.post('/permits/emergency', ACTING_ROLES, askInEmergency),
  staff.get('/permits/history', ALL_ROLES, listHistory, { hasQuery: true }),
  staff.get('/permits/history.csv', SUPERVISING_ROLES, exportHistory, EXPORTS),
  staff.get('/permits/:id', ALL_ROLES, showPermit),
  ...(['grant', 'refuse', 'lift', 'revoke', 'review'] as const).map((what) =>
    staff.post(`/permits/:id/${what}`, ALL_ROLES, decide(what)),
  ),
]

/** Each console counts for itself what its customers say. */
export function customerPermitRoutes(): readonly CustomerRoute<CustomerPermitCall>[] {
  const { list, say, choose } = customersAnswers()
  return [
    customer.post('/objection', objections()),
    customer.get('/pauses', listOwnPauses),
    customer.get('/permits', list),
    ...(['grant', 'refuse', 'lift', 'revoke'] as const).map((what) =>
      customer.post(`/permits/${what}`, say(what)),
    ),
    customer.post('/permits/standing', choose),
  ]
}

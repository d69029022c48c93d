import type { Role } from '../../options.ts'
import { ACTING_ROLES, ALL_ROLES } from '../../sign-in/roles.ts'
import type { Call } from '../parts.ts'
import { listPauses, resume, showPause } from '../pauses/pauses.ts'
import { ask, askInEmergency } from '../permits/ask.ts'
import { decide } from '../permits/decide.ts'
import { listPermits, showPermit } from '../permits/lists.ts'
import { preview } from '../permits/preview.ts'
import { act } from './act.ts'
import { countNewer, listAlarms, searchAudit, showRow, showTimeline } from './audit.ts'
import { continueOne } from './continue.ts'
import { searchCustomers, showCustomer } from './customers.ts'
import { exportEntries, exportEntriesOfOne, exportRows } from './exports.ts'
import { me } from './me.ts'
import { endAll, endOne, listRunning } from './running.ts'
import { changeStream } from './stream.ts'
import { acknowledge, hold, release } from './supervision.ts'

const SUPERVISING_ROLES: readonly Role[] = ['lead', 'auditor']

/** A route below `{path}/api`, and the roles that may use it. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly roles: readonly Role[]
  /** Whether a request of a person who may not use it is recorded, as a request to act. */
  readonly isActing?: true
  /** Whether the request makes an entry of the audit that can wait. An end cannot. */
  readonly writes?: true
  /** Whether the answer is a stream. */
  readonly streams?: true
  readonly handle: (call: Call) => Promise<void>
}

type Marks = Pick<Route, 'isActing' | 'streams' | 'writes'>

function routesBy(method: Route['method']) {
  return (
    path: string,
    roles: readonly Role[],
    handle: Route['handle'],
    marks: Marks = {},
  ): Route => ({ method, path, roles, handle, ...marks })
}

const [get, post] = [routesBy('GET'), routesBy('POST')]

/** An export of the audit is an entry itself. */
const EXPORT_MARKS = { writes: true, streams: true } as const

/** The first one that matches answers. */
export const CONSOLE_ROUTES: readonly Route[] = [
  get('/me', ALL_ROLES, me),
  get('/customers', ACTING_ROLES, searchCustomers),
  get('/customers/:id', ACTING_ROLES, showCustomer),
  post('/impersonations', ACTING_ROLES, act, { isActing: true, writes: true }),
  post('/impersonations/preview', ACTING_ROLES, preview),
  post('/impersonations/:id/continue', ACTING_ROLES, continueOne, { isActing: true, writes: true }),
  get('/running', ALL_ROLES, listRunning),
  post('/running/end', ACTING_ROLES, endAll),
  post('/running/:id/end', ACTING_ROLES, endOne),
  get('/audit', ALL_ROLES, searchAudit),
  get('/audit/newer', ALL_ROLES, countNewer),
  get('/audit/export.csv', SUPERVISING_ROLES, exportRows('csv'), EXPORT_MARKS),
  get('/audit/export.jsonl', SUPERVISING_ROLES, exportRows('jsonl'), EXPORT_MARKS),
  get('/audit/entries.jsonl', SUPERVISING_ROLES, exportEntries, EXPORT_MARKS),
  get('/audit/:id', ALL_ROLES, showRow),
  get('/audit/:id/entries.jsonl', SUPERVISING_ROLES, exportEntriesOfOne, EXPORT_MARKS),
  get('/audit/:id/timeline', ALL_ROLES, showTimeline),
  post('/audit/:id/hold', SUPERVISING_ROLES, hold, { writes: true }),
  post('/audit/:id/release', SUPERVISING_ROLES, release, { writes: true }),
  get('/pauses', ALL_ROLES, listPauses),
  get('/pauses/:id', ALL_ROLES, showPause),
  post('/pauses/:id/resume', ALL_ROLES, resume),
  get('/permits', ALL_ROLES, listPermits),
  post('/permits', ACTING_ROLES, ask),
  post('/permits/emergency', ACTING_ROLES, askInEmergency),
  get('/permits/:id', ALL_ROLES, showPermit),
  post('/permits/:id/grant', ALL_ROLES, decide('grant')),
  post('/permits/:id/refuse', ALL_ROLES, decide('refuse')),
  post('/permits/:id/lift', ALL_ROLES, decide('lift')),
  post('/permits/:id/revoke', ALL_ROLES, decide('revoke')),
  post('/permits/:id/review', ALL_ROLES, decide('review')),
  get('/alarms', SUPERVISING_ROLES, listAlarms),
  post('/alarms/acknowledge', ['lead'], acknowledge, { writes: true }),
  get('/stream', ALL_ROLES, changeStream(), { streams: true }),
]

import type { Role } from '../options.ts'
import { ACTING, ROLES } from '../sign-in/roles.ts'
import { act, continueOne } from './act.ts'
import { countNewer, listAlarms, searchAudit, showRow, showTimeline } from './audit.ts'
import { searchCustomers, showCustomer } from './customers.ts'
import { exportEntries, exportRows } from './exports.ts'
import { me } from './me.ts'
import type { Call } from './parts.ts'
import { endAll, endOne, listRunning } from './running.ts'
import { changeStream } from './stream.ts'
import { acknowledge, hold, release } from './supervision.ts'

const SUPERVISING: readonly Role[] = ['lead', 'auditor']

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

/** The first one that matches answers. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/me', roles: ROLES, handle: me },
  { method: 'GET', path: '/customers', roles: ACTING, handle: searchCustomers },
  { method: 'GET', path: '/customers/:id', roles: ACTING, handle: showCustomer },
  {
    method: 'POST',
    path: '/impersonations',
    roles: ACTING,
    isActing: true,
    writes: true,
    handle: act,
  },
  {
    method: 'POST',
    path: '/impersonations/:id/continue',
    roles: ACTING,
    isActing: true,
    writes: true,
    handle: continueOne,
  },
  { method: 'GET', path: '/running', roles: ROLES, handle: listRunning },
  { method: 'POST', path: '/running/end', roles: ACTING, handle: endAll },
  { method: 'POST', path: '/running/:id/end', roles: ACTING, handle: endOne },
  { method: 'GET', path: '/audit', roles: ROLES, handle: searchAudit },
  { method: 'GET', path: '/audit/newer', roles: ROLES, handle: countNewer },
  ...(['csv', 'jsonl'] as const).map(
    (format): Route => ({
      method: 'GET',
      path: `/audit/export.${format}`,
      roles: SUPERVISING,
      writes: true,
      streams: true,
      handle: exportRows(format),
    }),
  ),
  {
    method: 'GET',
    path: '/audit/entries.jsonl',
    roles: SUPERVISING,
    writes: true,
    streams: true,
    handle: exportEntries,
  },
  { method: 'GET', path: '/audit/:id', roles: ROLES, handle: showRow },
  { method: 'GET', path: '/audit/:id/timeline', roles: ROLES, handle: showTimeline },
  {
    method: 'POST',
    path: '/audit/:id/acknowledge',
    roles: ['lead'],
    writes: true,
    handle: acknowledge,
  },
  { method: 'POST', path: '/audit/:id/hold', roles: SUPERVISING, writes: true, handle: hold },
  { method: 'POST', path: '/audit/:id/release', roles: SUPERVISING, writes: true, handle: release },
  { method: 'GET', path: '/alarms', roles: SUPERVISING, handle: listAlarms },
  { method: 'GET', path: '/stream', roles: ROLES, streams: true, handle: changeStream() },
]

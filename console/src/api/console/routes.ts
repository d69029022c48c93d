import type { Role } from '../../options.ts'
import { ACTING_ROLES, ALL_ROLES } from '../../sign-in/roles.ts'
import type { Call } from '../parts.ts'
import { act } from './act.ts'
import { countNewer, listAlarms, searchAudit, showRow, showTimeline } from './audit.ts'
import { continueOne } from './continue.ts'
import { searchCustomers, showCustomer } from './customers.ts'
import { exportEntries, exportRows } from './exports.ts'
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

/** The first one that matches answers. */
export const CONSOLE_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/me', roles: ALL_ROLES, handle: me },
  { method: 'GET', path: '/customers', roles: ACTING_ROLES, handle: searchCustomers },
  { method: 'GET', path: '/customers/:id', roles: ACTING_ROLES, handle: showCustomer },
  {
    method: 'POST',
    path: '/impersonations',
    roles: ACTING_ROLES,
    isActing: true,
    writes: true,
    handle: act,
  },
  {
    method: 'POST',
    path: '/impersonations/:id/continue',
    roles: ACTING_ROLES,
    isActing: true,
    writes: true,
    handle: continueOne,
  },
  { method: 'GET', path: '/running', roles: ALL_ROLES, handle: listRunning },
  { method: 'POST', path: '/running/end', roles: ACTING_ROLES, handle: endAll },
  { method: 'POST', path: '/running/:id/end', roles: ACTING_ROLES, handle: endOne },
  { method: 'GET', path: '/audit', roles: ALL_ROLES, handle: searchAudit },
  { method: 'GET', path: '/audit/newer', roles: ALL_ROLES, handle: countNewer },
  ...(['csv', 'jsonl'] as const).map(
    (format): Route => ({
      method: 'GET',
      path: `/audit/export.${format}`,
      roles: SUPERVISING_ROLES,
      writes: true,
      streams: true,
      handle: exportRows(format),
    }),
  ),
  {
    method: 'GET',
    path: '/audit/entries.jsonl',
    roles: SUPERVISING_ROLES,
    writes: true,
    streams: true,
    handle: exportEntries,
  },
  { method: 'GET', path: '/audit/:id', roles: ALL_ROLES, handle: showRow },
  { method: 'GET', path: '/audit/:id/timeline', roles: ALL_ROLES, handle: showTimeline },
  {
    method: 'POST',
    path: '/audit/:id/acknowledge',
    roles: ['lead'],
    writes: true,
    handle: acknowledge,
  },
  { method: 'POST', path: '/audit/:id/hold', roles: SUPERVISING_ROLES, writes: true, handle: hold },
  {
    method: 'POST',
    path: '/audit/:id/release',
    roles: SUPERVISING_ROLES,
    writes: true,
    handle: release,
  },
  { method: 'GET', path: '/alarms', roles: SUPERVISING_ROLES, handle: listAlarms },
  { method: 'GET', path: '/stream', roles: ALL_ROLES, streams: true, handle: changeStream() },
]

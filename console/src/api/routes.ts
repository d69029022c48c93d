import type { Role } from '../options.ts'
import { ACTING, ROLES } from '../roles.ts'
import { act, continueOne } from './act.ts'
import { searchCustomers, showCustomer } from './customers.ts'
import { me } from './me.ts'
import type { Call } from './parts.ts'
import { endAll, endOne, listRunning } from './running.ts'

/** A route below `{path}/api`, and the roles that may use it. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly roles: readonly Role[]
  /** Whether a request of a person who may not use it is recorded, as a request to act. */
  readonly isActing?: true
  /** Whether the request makes an entry of the audit that can wait. An end cannot. */
  readonly writes?: true
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
]

import type { Role } from '../kernel/roles.ts'
import type { Call } from './parts.ts'

interface AnyRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

interface RouteMarks {
  /** Whether a request of a person who may not use it is recorded, as a request to act. */
  readonly isActing?: true
  /** Whether the request makes an entry of the audit that can wait. An end cannot. */
  readonly writes?: true
  /** Whether the answer is a stream. */
  readonly streams?: true
  /** Whether the handler reads the query. All others have none. */
  readonly hasQuery?: true
}

/** A route below `{path}/api`. */
export interface StaffRoute<C = Call> extends AnyRoute, RouteMarks {
  /** The roles that may use it. */
  readonly audience: readonly Role[]
  readonly handle: (call: C) => Promise<void>
}

function staffRoute(method: AnyRoute['method']) {
  return <C>(
    path: string,
    audience: readonly Role[],
    handle: (call: C) => Promise<void>,
    marks: RouteMarks = {},
  ): StaffRoute<C> => ({ method, path, audience, handle, ...marks })
}

export const staff = { get: staffRoute('GET'), post: staffRoute('POST') }

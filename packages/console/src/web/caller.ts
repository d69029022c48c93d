import type { Role } from '../kernel/roles.ts'
import { refusedRequest } from './acting/asked-for.ts'
import { waitForCapacity } from './audit.ts'
import { NoRoleProblem, Problem } from './http/problem.ts'
import type { RouteMarks } from './pages/table.ts'
import type { Call, Caller, Parts } from './parts.ts'
import { findRole } from './sign-in/roles.ts'
import type { SignedIn } from './sign-in/signed-in.ts'

/**
 * Finds the role of a person. A request to act that is refused for it is recorded.
 *
 * @throws Problem 403 for a person whose role may not use the route
 */
export async function findCaller(
  parts: Parts,
  person: SignedIn,
  { roles, isActing }: RouteMarks & { readonly roles: readonly Role[] },
  input: Call['input'],
): Promise<Caller> {
  const role = await findRole(person.account, parts.settings)
  if (role !== undefined && roles.includes(role)) return { ...person, role }
  const problem =
    role === undefined
      ? new NoRoleProblem()
      : new Problem(403, 'access_denied', `this is for: ${roles.join(', ')}`)
  if (isActing) {
    await waitForCapacity(parts)
    const { error, message: reason } = problem
    const request = await refusedRequest({ input, settings: parts.settings })
    const refusal = { operator: person.id, error, reason, request }
    await parts.refusals.keep(refusal, role !== undefined)
  }
  throw problem
}

import type { Role } from '../kernel/roles.ts'
import { refusedRequest } from './acting/asked-for.ts'
import { waitForCapacity } from './audit.ts'
import { NoRoleProblem, Problem } from './http/problem.ts'
import type { Call, Caller, Parts } from './parts.ts'
import { findRole } from './sign-in/roles.ts'
import type { SignedIn } from './sign-in/signed-in.ts'

/** @throws Problem 403 for a person whose role may not use the route */
export async function findCaller(
  { audience, isActing }: { audience: readonly Role[]; isActing?: true | undefined },
  parts: Parts,
  signedIn: SignedIn,
  input: Call['input'],
): Promise<Caller> {
  const role = await findRole(signedIn.account, parts.settings)
  if (role !== undefined && audience.includes(role)) return { ...signedIn, role }
  const problem =
    role === undefined
      ? new NoRoleProblem()
      : new Problem(403, 'access_denied', `this is for: ${audience.join(', ')}`)
  if (isActing) {
    await waitForCapacity(parts)
    const request = await refusedRequest({ input, settings: parts.settings })
    const refusal = {
      operator: signedIn.id,
      error: problem.error,
      reason: problem.message,
      request,
    }
    const { ofStaff, ofStranger } = parts.refusals
    await (role === undefined ? ofStranger : ofStaff)(refusal)
  }
  throw problem
}

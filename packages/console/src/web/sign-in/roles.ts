import type { Account } from 'oidc-provider'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { ALL_ROLES, type Role } from '../../kernel/roles.ts'
import { orUnavailable, Problem } from '../http/problem.ts'

/** What the deployment answers about an account. */
export type RoleOf = (account: Account) => Role | undefined | Promise<Role | undefined>

/** How long `role` may take, in milliseconds. */
const ROLE_TIMEOUT_MS = 5000

/**
 * Asks the deployment for the role of an account.
 *
 * @throws Problem 503 where `role` throws or takes too long, 500 where it answers something else
 */
export async function findRole(
  account: Account,
  { role }: { readonly role: RoleOf },
  timeoutMs = ROLE_TIMEOUT_MS,
): Promise<Role | undefined> {
  const answered = await orUnavailable('your role cannot be looked up now', async () => {
    const answer = (async () => role(account))()
    if (await endsWithin(timeoutMs, answer)) return answer
    throw new Error(`options.role took more than ${timeoutMs} ms`)
  })
  if (answered === undefined || ALL_ROLES.some((known) => known === answered)) return answered
  throw new Problem(500, 'server_error', 'something went wrong', {
    cause: new TypeError(
      `options.role answered neither undefined nor one of: ${ALL_ROLES.join(', ')}`,
    ),
  })
}

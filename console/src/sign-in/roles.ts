import type { Account } from 'oidc-provider'
import { Problem, unavailable } from '../http/problem.ts'
import type { Role } from '../options.ts'
import type { Settings } from '../settings.ts'

export const ROLES = ['operator', 'lead', 'auditor'] as const satisfies readonly Role[]

/** Who may act as customers. */
export const ACTING: readonly Role[] = ['operator', 'lead']

/**
 * Asks the deployment for the role of an account.
 *
 * @throws Problem 503 where `role` throws, 500 where it answers something else
 */
export async function roleOf(
  account: Account,
  { role }: Pick<Settings, 'role'>,
): Promise<Role | undefined> {
  const answered = await ask(account, role)
  if (answered === undefined || ROLES.some((known) => known === answered)) return answered
  throw new Problem(500, 'server_error', 'something went wrong', {
    cause: new TypeError(`options.role answered neither undefined nor one of: ${ROLES.join(', ')}`),
  })
}

async function ask(account: Account, role: Settings['role']) {
  try {
    return await role(account)
  } catch (cause) {
    throw unavailable('your role cannot be looked up now', cause)
  }
}

import type { Account } from 'oidc-provider'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { ALL_ROLES, type Role } from '../../kernel/roles.ts'
import { orUnavailable, Problem } from '../http/problem.ts'

/** Returns the role of an account, as the deployment has it. */
export type RoleOf = (account: Account) => Role | undefined | Promise<Role | undefined>

/** Returns whether a person may erase what the audit has of a customer. */
export type MayErase = (account: Account) => boolean | Promise<boolean>

/** The timeout of `role` and `mayErase`, in milliseconds. */
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
  const answered = await askWithin(timeoutMs, 'role', () => role(account))
  if (answered === undefined || ALL_ROLES.some((known) => known === answered)) return answered
  throw new Problem(500, 'server_error', 'something went wrong', {
    cause: new TypeError(
      `options.role answered neither undefined nor one of: ${ALL_ROLES.join(', ')}`,
    ),
  })
}

/**
 * Asks the deployment whether an account may erase: nobody where it is not asked.
 *
 * @throws Problem 503 where `mayErase` throws or takes too long, 500 where it answers something else
 */
export async function findMayErase(
  account: Account,
  { mayErase }: { readonly mayErase: MayErase | undefined },
  timeoutMs = ROLE_TIMEOUT_MS,
): Promise<boolean> {
  if (!mayErase) return false
  const answered = await askWithin(timeoutMs, 'mayErase', () => mayErase(account))
  if (typeof answered === 'boolean') return answered
  throw new Problem(500, 'server_error', 'something went wrong', {
    cause: new TypeError('options.mayErase answered neither true nor false'),
  })
}

function askWithin<T>(
  timeoutMs: number,
  option: 'mayErase' | 'role',
  ask: () => T | Promise<T>,
): Promise<T> {
  return orUnavailable('your role cannot be looked up now', async () => {
    const answer = (async () => ask())()
    if (await endsWithin(timeoutMs, answer)) return answer
    throw new Error(`options.${option} took more than ${timeoutMs} ms`)
  })
}

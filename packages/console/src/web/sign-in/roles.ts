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
export function findRole(
  account: Account,
  { role }: { readonly role: RoleOf },
): Promise<Role | undefined> {
  return ask('role', () => role(account), [undefined, ...ALL_ROLES])
}

/** The same for whether an account may erase: nobody where it is not asked. */
export async function findMayErase(
  account: Account,
  { mayErase }: { readonly mayErase: MayErase | undefined },
): Promise<boolean> {
  return mayErase ? ask('mayErase', () => mayErase(account), [true, false]) : false
}

async function ask<T>(
  option: 'mayErase' | 'role',
  question: () => T | Promise<T>,
  known: readonly T[],
): Promise<T> {
  const answered = await orUnavailable('your role cannot be looked up now', async () => {
    const answer = (async () => question())()
    if (await endsWithin(ROLE_TIMEOUT_MS, answer)) return answer
    throw new Error(`options.${option} took more than ${ROLE_TIMEOUT_MS} ms`)
  })
  if (known.includes(answered)) return answered
  throw new Problem(500, 'server_error', 'something went wrong', {
    cause: new TypeError(`options.${option} answered none of: ${known.map(String).join(', ')}`),
  })
}

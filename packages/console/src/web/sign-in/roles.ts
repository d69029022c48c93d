import type { Account } from 'oidc-provider'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { ALL_ROLES, type Role } from '../../kernel/roles.ts'
import { orUnavailable } from '../http/problem.ts'

/** Returns the role of an account, as the deployment has it. */
export type RoleOf = (account: Account) => Role | undefined | Promise<Role | undefined>

/** Returns whether a person may erase what the audit has of a customer. */
export type MayErase = (account: Account) => boolean | Promise<boolean>

/** The timeout of `role` and `mayErase`, in milliseconds. */
const ROLE_TIMEOUT_MS = 5000

/**
 * Asks the deployment for the role of an account.
 *
 * @throws Problem 503 if `role` throws or takes too long, TypeError if it returns something else
 */
export function findRole(
  account: Account,
  { role }: { readonly role: RoleOf },
): Promise<Role | undefined> {
  return ask('role', () => role(account), [undefined, ...ALL_ROLES])
}

/** The same for `mayErase`. Without that option nobody may. */
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
  const tooLate = () => new Error(`options.${option} took more than ${ROLE_TIMEOUT_MS} ms`)
  const answered = await orUnavailable('your role cannot be looked up now', () =>
    limitTime(ROLE_TIMEOUT_MS, question(), tooLate),
  )
  if (known.includes(answered)) return answered
  throw new TypeError(`options.${option} answered none of: ${known.map(String).join(', ')}`)
}

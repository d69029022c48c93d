import type { Account, AccountClaims } from 'oidc-provider'
import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { type Named, nonEmptyText, present } from 'oidc-provider-impersonation-verify/format'
import type { CustomerDirectory } from './customer-directory.ts'

/** Names a person, by the directory of customers or else by the claims of the account. */
export type NamePerson = (accountId: string) => Promise<Named | undefined>

/** @returns a function that rejects where the directory fails */
export function personNames(
  provider: Provider,
  directory: CustomerDirectory,
  language: string,
): NamePerson {
  return async (accountId) => {
    const customer = await directory.get(accountId, language)
    if (customer) return { name: customer.name, email: customer.email }
    const account = await findAccount(provider, accountId)
    return account && findNamed(account)
  }
}

/** A person as the claims of the account name them. */
export async function findNamed(account: Account): Promise<Named> {
  return namedBy(await account.claims('userinfo', 'openid profile email', {}, []))
}

export function namedBy({ name, email }: AccountClaims): Named {
  return present({ name: nonEmptyText(name), email: nonEmptyText(email) })
}

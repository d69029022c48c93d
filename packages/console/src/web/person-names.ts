import type { Account, AccountClaims } from 'oidc-provider'
import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { type Named, nonEmptyText, present } from 'oidc-provider-impersonation-verify/format'
import type { CustomerDirectory } from './customer-directory.ts'

export type NamePerson = ReturnType<typeof personNames>

/**
 * @returns a function that names a person, by the directory of customers or else by the claims of the account. It
 * rejects if the directory fails
 */
export function personNames(provider: Provider, directory: CustomerDirectory, language: string) {
  return async (accountId: string): Promise<Named | undefined> => {
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

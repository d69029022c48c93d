// The people of this business, as the provider, the backend and the console know them. Yours are in
// a database: `find` is then a query, and each person has a password of their own.
import type { Account, Configuration } from 'oidc-provider'
import type { People, Person } from '../console/index.ts'
import { hashPassword, verifyPassword } from '../hosting/password.ts'

type Role = 'customer' | 'support' | 'administrator'

const person = (id: string, name: string, role: Role): Person & { readonly role: Role } => ({
  id,
  name,
  email: `${id}@example.com`,
  role,
  isStaff: role === 'support',
  // People with special rights: no operator may act as them.
  isProtected: role !== 'customer',
})

const PEOPLE = [
  person('alice', 'Alice Ng', 'customer'),
  person('bob', 'Bob Meyer', 'customer'),
  person('olivia', 'Olivia Reyes', 'support'),
  person('grace', 'Grace Okafor', 'administrator'),
  person('chidi', 'Chidi Okeke', 'customer'),
  person('dana', 'Dana Schmidt', 'customer'),
  // People choose their own names, so every page must escape a name.
  person('mallory', '<img src=x onerror=alert(1)>', 'customer'),
]

export const people = {
  find: (id: string) => PEOPLE.find((one) => one.id === id),
  all: () => PEOPLE,
} satisfies People

/** The claims of each scope, in addition to those of oidc-provider. */
export const CLAIMS: NonNullable<Configuration['claims']> = {
  openid: ['sub'],
  profile: ['name'],
  email: ['email', 'email_verified'],
}

/** `findAccount` of oidc-provider. Impersonation asks it, too: for the user and the operator. */
export function findAccount(_ctx: unknown, id: string): Account | undefined {
  const found = people.find(id)
  if (!found) return undefined
  const { name, email } = found
  return { accountId: id, claims: () => ({ sub: id, name, email, email_verified: true }) }
}

/** Checks a login and its password. */
export type Accounts = Awaited<ReturnType<typeof loadAccounts>>

/** @param password the common password of all accounts in this example */
export async function loadAccounts(password: string) {
  const ofAll = await hashPassword(password)
  // Used for unknown logins, so that their refusal takes the same time.
  const decoy = await hashPassword(crypto.randomUUID())
  return {
    async authenticate(login: string, given: string) {
      const found = people.find(login)
      return (await verifyPassword(given, found ? ofAll : decoy)) ? found : undefined
    },
  }
}

import type { Account, Configuration } from 'oidc-provider'
import { allPeople, findPerson, type Person } from '../people.ts'
import { hashPassword, verifyPassword } from './password.ts'

/** The claims of each scope, beside oidc-provider's own. */
export const CLAIMS: NonNullable<Configuration['claims']> = {
  openid: ['sub'],
  profile: ['name'],
  email: ['email', 'email_verified'],
}

/** oidc-provider's `findAccount`. */
export function findAccount(_ctx: unknown, id: string): Account | undefined {
  const person = findPerson(id)
  return (
    person && {
      accountId: person.id,
      claims: () => ({
        sub: person.id,
        name: person.name,
        email: person.email,
        email_verified: true,
      }),
    }
  )
}

/** Checks who signs in. */
export interface Accounts {
  authenticate(login: string, password: string): Promise<Person | undefined>
}

/** @param password the one that every account has in this example */
export async function createAccounts(password: string): Promise<Accounts> {
  const hashes = new Map(
    await Promise.all(
      allPeople().map(async ({ id }) => [id, await hashPassword(password)] as const),
    ),
  )
  // For logins that do not exist, so that they take as long to refuse.
  const decoy = await hashPassword(crypto.randomUUID())

  return {
    async authenticate(login, given) {
      const person = findPerson(login)
      const matches = await verifyPassword(given, (person && hashes.get(person.id)) ?? decoy)
      return matches ? person : undefined
    },
  }
}

import type { Account, Configuration } from 'oidc-provider'
import { allPeople, findPerson, type Person } from '../people.ts'
import { hashPassword, verifyPassword } from './password.ts'

/** The claims of each scope, in addition to those of oidc-provider. */
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

/** Checks logins and passwords. */
export interface Accounts {
  authenticate(login: string, password: string): Promise<Person | undefined>
}

/** @param password the common password of all accounts in this example */
export async function createAccounts(password: string): Promise<Accounts> {
  const hashes = new Map(
    await Promise.all(
      allPeople().map(async ({ id }) => [id, await hashPassword(password)] as const),
    ),
  )
  // Used for unknown logins, so that their refusal takes the same time.
  const decoy = await hashPassword(crypto.randomUUID())

  return {
    async authenticate(login, given) {
      const person = findPerson(login)
      const matches = await verifyPassword(given, (person && hashes.get(person.id)) ?? decoy)
      return matches ? person : undefined
    },
  }
}

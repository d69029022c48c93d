// The people of this business, as the provider, the backend and the console know them. Yours are in
// a database: `find` is then a query, and each person has a password of their own.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Account, Configuration } from 'oidc-provider'

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: 'customer' | 'operator' | 'lead' | 'auditor'
  /** A person who acts as customers. */
  readonly isStaff: boolean
  /** People with special rights: no operator may act as them. */
  readonly isProtected: boolean
  /** Details of a customer, to tell people apart. */
  readonly number?: string
  readonly city?: string
  /** The approval that support needs before it acts: a second person's for changes, or the customer's. */
  readonly asks?: 'second_person' | 'user'
  /** The organisation of a customer, where it has closed its accounts to support. */
  readonly closedBy?: string
}

function person(
  id: string,
  name: string,
  role: Person['role'],
  more: Partial<Pick<Person, 'asks' | 'city' | 'closedBy' | 'number'>> = {},
): Person {
  const isStaff = role === 'operator' || role === 'lead'
  const isProtected = role !== 'customer'
  return { id, name, email: `${id}@example.com`, role, isStaff, isProtected, ...more }
}

const DEMO_PEOPLE = [
  person('alice', 'Alice Ng', 'customer', { number: '10021', city: 'Leipzig' }),
  person('bob', 'Bob Marsh', 'customer', { number: '10022', city: 'Graz' }),
  person('chidi', 'Chidi Okeke', 'customer', {
    ...{ number: '10035', city: 'Lagos', asks: 'second_person' },
  }),
  person('dana', 'Dana Schmidt', 'customer', { number: '10048', city: 'Basel', asks: 'user' }),
  person('erin', 'Erin Vogel', 'customer', {
    ...{ number: '10052', city: 'Bern', closedBy: 'Kestrel Ltd' },
  }),
  // People choose their own names, so every page must escape a name.
  person('mallory', '<img src=x onerror=alert(1)>', 'customer'),
  person('olivia', 'Olivia Okafor', 'operator'),
  person('oscar', 'Oscar Öhman', 'operator'),
  person('grace', 'Grace Lindqvist', 'lead'),
  person('ada', 'Ada Byron', 'auditor'),
  person('juno', 'Juno Keller', 'auditor'),
]

export const people = {
  find: (id: string) => DEMO_PEOPLE.find((one) => one.id === id),
  all: (): readonly Person[] => DEMO_PEOPLE,
}

/** The claims of each scope, in addition to those of oidc-provider. */
export const SCOPE_CLAIMS: NonNullable<Configuration['claims']> = {
  openid: ['sub'],
  profile: ['name'],
  email: ['email', 'email_verified'],
}

/** `findAccount` of oidc-provider. Impersonation asks it, too: for the user and the operator. */
export function findAccount(_ctx: unknown, id: string): Account | undefined {
  const found = people.find(id)
  if (!found) return undefined
  // The id as it is stored: your database may find `root` when it is asked for `ROOT`.
  const { id: accountId, name, email } = found
  return { accountId, claims: () => ({ sub: accountId, name, email, email_verified: true }) }
}

/** Checks a login and its password. */
export type Accounts = Awaited<ReturnType<typeof loadAccounts>>

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** @param password the common password of all accounts in this example */
export async function loadAccounts(password: string) {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, 32)
  return {
    async authenticate(login: string, given: string) {
      // Also for an unknown login, so that its refusal takes the same time.
      const isRight = timingSafeEqual(await derive(given, salt, 32), hash)
      return isRight ? people.find(login) : undefined
    },
  }
}

// The people in the year of history: the team, and customers whom only the audit knows.
import { type Person, people } from '../../accounts.ts'

export type Known = Pick<Person, 'email' | 'id' | 'name'>
export type PastCustomer = Known & Pick<Person, 'asks'>

const known = (id: string, name: string): Known => ({ id, name, email: `${id}@example.com` })
const atWork = people.all().filter(({ isStaff }) => isStaff)

/** Three of them have left the team since. */
export const OPERATORS: readonly Known[] = [
  ...atWork.filter(({ role }) => role === 'operator'),
  ...[known('jonas', 'Jonas Weber'), known('mei', 'Mei Tanaka'), known('tomas', 'Tomás Rivera')],
]

export const LEADS: readonly Known[] = [
  ...atWork.filter(({ role }) => role === 'lead'),
  known('henrik', 'Henrik Dahl'),
]

/** People as whom no operator may act. */
export const PROTECTED: readonly Known[] = people.all().filter(({ isProtected }) => isProtected)

const FIRST_NAMES = ['Amara', 'Bruno', 'Carla', 'David', 'Elif', 'Farid', 'Greta', 'Hanna', 'Ivo']
const LAST_NAMES = ['Adler', 'Costa', 'Novak', 'Sato']

/** A change in every sixth invented account needs a second person. */
const INVENTED: readonly PastCustomer[] = FIRST_NAMES.flatMap((first) =>
  LAST_NAMES.map((last) => known(`${first}.${last}`.toLowerCase(), `${first} ${last}`)),
).map((one, at) => (at % 6 === 0 ? { ...one, asks: 'second_person' } : one))

export const CUSTOMERS: readonly PastCustomer[] = [
  ...['alice', 'bob', 'chidi', 'dana'].flatMap((id) => people.find(id) ?? []),
  ...INVENTED,
]

/** Returns whether a person of the past still works here. */
export const isAtWork = ({ id }: Known) => people.find(id) !== undefined

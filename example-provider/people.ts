/** What a person may be to this business. */
export type Role = 'customer' | 'support' | 'administrator'

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
}

/** The user directory: the provider signs these people in, the backend looks up what they are. */
const PEOPLE: readonly Person[] = [
  { id: 'alice', name: 'Alice Ng', email: 'alice@example.com', role: 'customer' },
  { id: 'bob', name: 'Bob Meyer', email: 'bob@example.com', role: 'customer' },
  { id: 'olivia', name: 'Olivia Reyes', email: 'olivia@example.com', role: 'support' },
  { id: 'grace', name: 'Grace Okafor', email: 'grace@example.com', role: 'administrator' },
  { id: 'chidi', name: 'Chidi Okeke', email: 'chidi@example.com', role: 'customer' },
  { id: 'dana', name: 'Dana Schmidt', email: 'dana@example.com', role: 'customer' },
  // People can call themselves what they like: whoever shows a name has to escape it.
  {
    id: 'mallory',
    name: '<img src=x onerror=alert(1)>',
    email: 'mallory@example.com',
    role: 'customer',
  },
]

const byId: ReadonlyMap<string, Person> = new Map(PEOPLE.map((person) => [person.id, person]))

/** Whoever has powers of their own here: nobody may act as them, whoever asks. */
export function isProtected(person: Person): boolean {
  return person.role !== 'customer'
}

export function findPerson(id: string): Person | undefined {
  return byId.get(id)
}

export function allPeople(): readonly Person[] {
  return PEOPLE
}

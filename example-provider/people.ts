/** The role of a person in this business. */
export type Role = 'customer' | 'support' | 'administrator'

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
}

/** The user directory. The provider signs these people in, and the backend reads their roles. */
const PEOPLE: readonly Person[] = [
  { id: 'alice', name: 'Alice Ng', email: 'alice@example.com', role: 'customer' },
  { id: 'bob', name: 'Bob Meyer', email: 'bob@example.com', role: 'customer' },
  { id: 'olivia', name: 'Olivia Reyes', email: 'olivia@example.com', role: 'support' },
  { id: 'grace', name: 'Grace Okafor', email: 'grace@example.com', role: 'administrator' },
  { id: 'chidi', name: 'Chidi Okeke', email: 'chidi@example.com', role: 'customer' },
  { id: 'dana', name: 'Dana Schmidt', email: 'dana@example.com', role: 'customer' },
  // People choose their own names, so every page must escape a name.
  {
    id: 'mallory',
    name: '<img src=x onerror=alert(1)>',
    email: 'mallory@example.com',
    role: 'customer',
  },
]

const byId: ReadonlyMap<string, Person> = new Map(PEOPLE.map((person) => [person.id, person]))

/** Whether a person has special rights. No operator may act as this person. */
export function isProtected(person: Person): boolean {
  return person.role !== 'customer'
}

export function findPerson(id: string): Person | undefined {
  return byId.get(id)
}

export function allPeople(): readonly Person[] {
  return PEOPLE
}

import { Problem } from '../http/problem.ts'
import type { People } from '../people.ts'
import type { CustomersAnswer, MeAnswer } from './answers.ts'

/** The largest number of results. For others, the operator enters a longer text. */
const MAX_RESULTS = 50

/** Describes a signed-in person to themselves. */
export function describeMe(id: string, people: People): MeAnswer {
  const person = people.find(id)
  if (!person) throw new Problem(404, 'not_found', 'there is no such person any more')
  return { id: person.id, name: person.name, email: person.email }
}

/** Finds people with the text in id, name or e-mail address. Without a text: all people. */
export function findCustomers(people: People, text = ''): CustomersAnswer {
  const wanted = text.toLowerCase()
  const found = people
    .all()
    .filter(({ id, name, email }) =>
      [id, name, email].some((value) => value.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  return {
    customers: found.slice(0, MAX_RESULTS).map((person) => ({
      id: person.id,
      name: person.name,
      email: person.email,
      protected: person.isProtected,
    })),
    more: found.length > MAX_RESULTS,
  }
}

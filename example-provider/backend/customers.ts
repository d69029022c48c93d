import { Problem } from '../http/problem.ts'
import { allPeople, findPerson, isProtected } from '../people.ts'
import type { CustomersAnswer, MeAnswer } from './answers.ts'

/** So many are shown; who looks for others says more. */
const MOST = 50

/** Who somebody is, for themselves. */
export function describeMe(id: string): MeAnswer {
  const person = findPerson(id)
  if (!person) throw new Problem(404, 'not_found', 'there is no such person any more')
  return { id: person.id, name: person.name, email: person.email }
}

/** Whoever has the text somewhere in id, name or e-mail address; everybody without one. */
export function findCustomers(text = ''): CustomersAnswer {
  const wanted = text.toLowerCase()
  const found = allPeople()
    .filter(({ id, name, email }) =>
      [id, name, email].some((value) => value.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  return {
    customers: found.slice(0, MOST).map((person) => ({
      id: person.id,
      name: person.name,
      email: person.email,
      protected: isProtected(person),
    })),
    more: found.length > MOST,
  }
}

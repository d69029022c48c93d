import type { AuditAnswer, CustomersAnswer } from '../answers.ts'
import { nameOf } from '../kit/names.ts'
import { fitsPerson, type Suggest, type Suggested } from '../kit/person-input.tsx'
import type { Session } from './session.ts'

/** People whom the audit knows: its search has an index of words, and one page of it is read. */
export function suggestFromAudit(session: Session, who: 'customer' | 'operator'): Suggest {
  return async (text, signal) => {
    const query = new URLSearchParams({ text })
    const { rows } = await session.ask<AuditAnswer>(`/audit?${query}`, { signal })
    const people = rows.flatMap((row): Suggested[] => {
      const person = row[who]
      return person ? [{ id: person.id, name: nameOf(person) }] : []
    })
    const byId = new Map(people.map((person) => [person.id, person]))
    return [...byId.values()].filter((person) => fitsPerson(person, text))
  }
}

/** Customers of the directory; for auditors, who cannot search it, those of the audit. */
export function suggestCustomers(session: Session): Suggest {
  if (session.me.role === 'auditor') return suggestFromAudit(session, 'customer')
  return async (text, signal) => {
    const query = new URLSearchParams({ q: text })
    return (await session.ask<CustomersAnswer>(`/customers?${query}`, { signal })).customers
  }
}

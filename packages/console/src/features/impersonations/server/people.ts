import * as v from 'valibot'
import { oneOf, type Read } from '../../../kernel/input.ts'
import { textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'

/** The most people whom one answer suggests. */
const MAX_SUGGESTED = 8
/** The most rows of the audit that are read for an answer. */
const MAX_ROWS_READ = 100

export const SOUGHT = {
  who: oneOf(['customer', 'operator']),
  text: v.optional(textParameter(100)),
}

export interface Suggested {
  readonly id: string
  readonly name: string
}

/**
 * Suggests people by what is typed: customers of the directory, and for auditors, who cannot search
 * it, those of the audit. Operators are those of the audit.
 */
export async function suggestPeople(
  call: Call & { readonly query: Read<typeof SOUGHT> },
): Promise<{ readonly people: readonly Suggested[] }> {
  const { audit, caller, directory, language, now, query } = call
  const { who, text = '' } = query
  if (text.trim() === '') return { people: [] }
  if (who === 'customer' && caller.role !== 'auditor') {
    const { customers } = await directory.search(text.trim(), 0, language)
    return { people: customers.slice(0, MAX_SUGGESTED).map(({ id, name }) => ({ id, name })) }
  }
  const { rows } = await audit.store.find({ text }, { limit: MAX_ROWS_READ, now: now() })
  const found = rows.flatMap((row) => row[who] ?? []).map(({ id, name = id }) => ({ id, name }))
  const people = new Map(found.filter(hasWords(text)).map((person) => [person.id, person]))
  return { people: [...people.values()].slice(0, MAX_SUGGESTED) }
}

/** Whether each word is in the name or the id. */
function hasWords(text: string): (person: Suggested) => boolean {
  const words = text.toLocaleLowerCase().trim().split(/\s+/)
  return ({ id, name }) => {
    const all = `${name} ${id}`.toLocaleLowerCase()
    return words.every((word) => all.includes(word))
  }
}

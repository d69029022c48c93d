import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import { unlessTrouble } from '../../../kernel/log-line.ts'
import { findCustomer } from '../../../web/acting/asked-for.ts'
import { settle } from '../../../web/audit.ts'
import { cursor, numberParameter, textParameter } from '../../../web/http/query.ts'
import type { Call, WithQuery } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'
import { runningImpersonations } from './running.ts'

const MAX_OFFSET = 10_000
/** The most people who are offered, and the rows of the audit in which they are looked for. */
const MAX_OFFERED = 8
const MAX_ROWS_READ = 100
const ROWS_PER_PAGE = 20

export const SEARCH = {
  q: v.optional(v.pipe(textParameter(100), v.trim())),
  offset: v.optional(numberParameter(0, MAX_OFFSET), '0'),
}

export type CustomersPageAnswer = Awaited<ReturnType<typeof searchCustomers>>

/** `GET /customers`: nothing is listed without a search, but for those as whom the caller acted last. */
export async function searchCustomers(call: WithQuery<typeof SEARCH>) {
  const { directory, gate, language, query } = call
  const { q: asked = '', offset } = query
  // A stop of all that the caller does. A start asks again.
  const stop = await gate.findStop(call, '').catch(() => undefined)
  if (asked === '') return { offset, stop, recents: await findRecents(call) }
  const { customers, more } = await directory.search(asked, offset, language)
  return { asked, offset, stop, customers, more }
}

/** Finds as whom the caller acted last. While that cannot be read, who is known is searched for. */
function findRecents({ audit, caller, directory, language, now }: Call) {
  return unlessTrouble('no recent customers', async () => {
    const page = { limit: MAX_ROWS_READ, now: now() }
    const { rows } = await audit.store.find({ operator: caller.id }, page)
    const ids = [...new Set(rows.flatMap(({ customer }) => customer?.id ?? []))]
    const found = ids.slice(0, MAX_OFFERED).map((id) => directory.get(id, language))
    // A customer who is gone is not offered.
    return (await Promise.all(found)).flatMap((customer) => customer ?? [])
  })
}

export const PAST = { before: cursor }

export type CustomerPageAnswer = Awaited<ReturnType<typeof showCustomer>>

/** `GET /customers/:id`: who a customer is, who acts as them now, and who did before. */
export async function showCustomer(call: WithQuery<typeof PAST>) {
  const { audit, gate, now, query } = call
  const customer = await findCustomer(call, call.param('id'))
  const { id } = customer
  const { running } = await runningImpersonations(call, { userId: id })
  const stop = await gate.findStop(call, id)
  await settle(audit)
  const page = { before: query.before, limit: ROWS_PER_PAGE, now: now() }
  const found = await unlessTrouble('no past of a customer', () =>
    audit.store.find({ customer: id }, page),
  )
  const past = found && {
    rows: found.rows.map((row) => shownRow(row, call)),
    next: found.next,
  }
  return { customer, running, stop, past }
}

export const SOUGHT = {
  who: oneOf(['customer', 'operator']),
  text: v.optional(textParameter(100), ''),
}

export type PeopleAnswer = Awaited<ReturnType<typeof suggestPeople>>

/**
 * `GET /people` suggests people by what is typed: customers of the directory, and for auditors, who cannot
 * search it, those of the audit. Operators are those of the audit.
 */
export async function suggestPeople(call: WithQuery<typeof SOUGHT>) {
  const { audit, caller, directory, language, now, query } = call
  const { who, text } = query
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return { people: [] }
  if (who === 'customer' && caller.role !== 'auditor') {
    const { customers } = await directory.search(text.trim(), 0, language)
    return { people: customers.slice(0, MAX_OFFERED).map(({ id, name }) => ({ id, name })) }
  }
  const { rows } = await audit.store.find({ text }, { limit: MAX_ROWS_READ, now: now() })
  const found = rows.flatMap((row) => row[who] ?? []).map(({ id, name = id }) => ({ id, name }))
  const isSought = ({ id, name }: { id: string; name: string }) => {
    const all = `${name} ${id}`.toLocaleLowerCase()
    return words.every((word) => all.includes(word))
  }
  const people = new Map(found.filter(isSought).map((person) => [person.id, person]))
  return { people: [...people.values()].slice(0, MAX_OFFERED) }
}

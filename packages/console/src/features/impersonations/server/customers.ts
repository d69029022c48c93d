import { isPlain, present, reasonOf } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { Read } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import { log } from '../../../kernel/log-line.ts'
import type {
  CustomerAnswer,
  CustomersAnswer,
  RowAnswer,
  RunningImpersonation,
} from '../../../web/answers.ts'
import { settle } from '../../../web/audit.ts'
import { Problem } from '../../../web/http/problem.ts'
import { cursor, numberParameter, textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import type { RecordAnswer } from '../../../web/record-answer.ts'
import { shownRow } from '../../../web/rows.ts'
import { runningImpersonations } from './running.ts'

const MAX_OFFSET = 10_000
/** How many customers are offered without a search, and in how many rows of the audit they are looked for. */
const MAX_RECENT = 8
const MAX_ROWS_READ = 100
const ROWS_PER_PAGE = 20

export const SEARCH = {
  q: v.optional(v.pipe(textParameter(100), v.trim())),
  offset: v.optional(numberParameter(0, MAX_OFFSET), '0'),
}

/** `GET /customers`: operator, lead. Nothing is listed without a search, but for those as whom the caller acted last. */
export interface CustomersPageAnswer extends Partial<CustomersAnswer> {
  /** What was searched for, and how many customers come before these. */
  readonly asked?: string
  readonly offset: number
  /** What keeps the caller from starting as any customer. */
  readonly stop?: RecordAnswer
  readonly recents?: readonly CustomerAnswer[]
}

/** Finds customers by what an operator typed. */
export async function searchCustomers(
  call: Call & { readonly query: Read<typeof SEARCH> },
): Promise<CustomersPageAnswer> {
  const { directory, gate, language, query } = call
  const { q: asked = '', offset } = query
  // A start asks again.
  const stop = await gate.findStop(call, '').catch(() => undefined)
  if (asked === '') return { offset, ...present({ stop, recents: await findRecents(call) }) }
  return {
    ...{ asked, offset, ...present({ stop }) },
    ...(await directory.search(asked, offset, language)),
  }
}

/** As whom the caller acted last. While that cannot be read, who is known is searched for. */
async function findRecents({
  audit,
  caller,
  directory,
  language,
  now,
}: Call): Promise<readonly CustomerAnswer[] | undefined> {
  const page = { limit: MAX_ROWS_READ, now: now() }
  try {
    const { rows } = await audit.store.find({ operator: caller.id }, page)
    const ids = [...new Set(rows.flatMap(({ customer }) => customer?.id ?? []))]
    const found = ids.slice(0, MAX_RECENT).map((id) => directory.get(id, language))
    // Who is gone is not offered.
    return (await Promise.all(found)).flatMap((customer) => customer ?? [])
  } catch (error) {
    log(`no recent customers: ${reasonOf(error)}`)
    return undefined
  }
}

export const PAST = { before: cursor }

/** `GET /customers/:id`: operator, lead. */
export interface CustomerPageAnswer {
  readonly customer: CustomerAnswer
  /** Who acts as this customer now, the caller included. */
  readonly running: readonly RunningImpersonation[]
  /** What keeps the caller from starting: see stop-answers.ts. */
  readonly stop?: RecordAnswer
  /** Who acted as them, newest first, and where older ones begin; `null` while the audit cannot be read. */
  readonly past: { readonly rows: readonly RowAnswer[]; readonly next?: string } | null
}

/** Shows who a customer is, who acts as them now, and who did before. */
export async function showCustomer(
  call: Call & { readonly query: Read<typeof PAST> },
): Promise<CustomerPageAnswer> {
  const { gate, query } = call
  const customer = await findCustomer(call, call.param('id'))
  const { running } = await runningImpersonations(call, { userId: customer.id })
  const stop = await gate.findStop(call, customer.id)
  const past = await findPast(call, customer.id, query.before)
  return { customer, running, ...present({ stop }), past }
}

/** @throws Problem 404 if there is no such customer */
export async function findCustomer(
  { directory, language }: Call,
  id: string,
): Promise<CustomerAnswer> {
  // A database may fail at what no id can be: that would read as trouble.
  const isId = isPlain(id) && id.length <= MAX_ID_LENGTH
  const customer = isId ? await directory.get(id, language) : undefined
  if (!customer) throw new Problem(404, 'user_not_found', 'there is no such customer')
  return customer
}

async function findPast(
  call: Call,
  customer: string,
  before: string | undefined,
): Promise<CustomerPageAnswer['past']> {
  const { audit, now } = call
  await settle(audit)
  try {
    const page = { before, limit: ROWS_PER_PAGE, now: now() }
    const { rows, next } = await audit.store.find({ customer }, page)
    return { rows: rows.map((row) => shownRow(row, call)), ...present({ next }) }
  } catch (error) {
    log(`no past of a customer: ${reasonOf(error)}`)
    return null
  }
}

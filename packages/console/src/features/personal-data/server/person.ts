import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { pages } from '../../../kernel/pages.ts'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Span } from './answers.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'

/** How many there are at most of a person as the operator: more are told as more. */
const MAX_AS_OPERATOR = 1000
const ROWS_PER_READ = 100

/** What there is of a person. */
export interface FoundOfPerson {
  readonly asCustomer: Span
  readonly asOperator: Span
  readonly permits: Span
  readonly permitsAsOperator: Span
  readonly uses: number
  readonly notices: number
  readonly held: number
  readonly free: number
  /** The name of the newest impersonation that has one. */
  readonly name: string | undefined
}

export async function findOfPerson(
  store: Pick<AuditStore, 'find' | 'permits'>,
  id: string,
  now: number,
): Promise<FoundOfPerson> {
  const rows: Pick<AuditRow, 'at' | 'customer' | 'hold' | 'notice'>[] = []
  let uses = 0
  for await (const page of rowsOfCustomer(store, id, now)) {
    for (const { at, customer, hold, notice, reads, changes } of page) {
      rows.push({ at, customer, hold, notice })
      uses += reads + changes
    }
  }
  const permits: number[] = []
  for await (const page of permitsOfCustomer(store, id)) permits.push(...page.map(({ at }) => at))
  const held = rows.filter(({ hold }) => hold?.isHeld).length
  return {
    ...{ uses, held, free: rows.length - held },
    asCustomer: spanOf(rows.map(({ at }) => at)),
    asOperator: await countSome(async (before) => {
      const page = { before, limit: ROWS_PER_READ, now }
      const { rows: items, next } = await store.find({ operator: id }, page)
      return { items, next }
    }),
    permits: spanOf(permits),
    permitsAsOperator: await countSome(async (before) => {
      const page = { before, limit: PERMITS_PER_READ }
      const { permits: items, next } = await store.permits({ operator: id }, page)
      return { items, next }
    }),
    notices: rows.filter(({ notice }) => notice?.last?.is === 'told').length,
    name: rows.find(({ customer }) => customer?.name !== undefined)?.customer?.name,
  }
}

async function countSome(
  read: (before: string | undefined) => Promise<{
    readonly items: readonly { readonly at: number }[]
    readonly next: string | undefined
  }>,
): Promise<Span> {
  const found: number[] = []
  for await (const { items, next } of pages(read)) {
    found.push(...items.map(({ at }) => at))
    if (found.length >= MAX_AS_OPERATOR && next !== undefined)
      return { ...spanOf(found), more: true }
  }
  return spanOf(found)
}

/** @param times the newest first */
function spanOf(times: readonly number[]): Span {
  const [to, from] = [times[0], times.at(-1)]
  return to === undefined || from === undefined ? { count: 0 } : { count: times.length, from, to }
}

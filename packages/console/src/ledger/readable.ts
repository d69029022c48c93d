import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRecord,
  parseRecord,
  reasonOf,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../kernel/log-line.ts'
import { pages, readAll } from '../kernel/pages.ts'
import type { PermitFilter, RowFilter } from './filters.ts'
import type { AuditStore, StoredSeal } from './store.ts'

/** The numbers that are read at once if all are read. */
const RECORDS_PER_READ = 100
const ROWS_PER_READ = 200
const SEALS_PER_READ = 100
/** The number of unreadable permits that are remembered, because the log has them already. */
const MAX_REMEMBERED = 1000

const logged = new BoundedMap<string, true>(MAX_REMEMBERED)

/** I17: a permit that cannot be read stops nothing but itself. It is as one that is not there, and logged once. */
export function readable(stored: StoredRecord | undefined): AuditRecord | undefined {
  try {
    return stored && parseRecord(stored)
  } catch (error) {
    const { id = '' } = stored ?? {}
    if (!logged.has(id)) log(`the permit ${id} allows nothing: ${reasonOf(error)}`)
    logged.set(id, true)
    return undefined
  }
}

/** The permits of a page that can be read. */
export function allReadable(stored: readonly StoredRecord[]): AuditRecord[] {
  return stored.flatMap((each) => readable(each) ?? [])
}

/** All rows that match, the newest first, one page after the other. @param now for outcomes */
export const rowPages = (store: AuditStore, filter: RowFilter, now: number) =>
  pages((before) => store.find(filter, { before, limit: ROWS_PER_READ, now }))

/** Seals after a number, in their order. */
export async function* readSeals(store: AuditStore, after: number): AsyncGenerator<StoredSeal> {
  for (let number = after; ; ) {
    const page = await store.sealsAfter(number, SEALS_PER_READ)
    yield* page
    const last = page.at(-1)
    if (!last) return
    number = last.number
  }
}

type RecordReader = AuditStore

const readPage = (store: RecordReader, filter: PermitFilter) => (before: string | undefined) =>
  store.permits(filter, { before, limit: RECORDS_PER_READ })

/** All records that match, the newest first, one page after the other. */
export const pagesOfRecords = (store: RecordReader, filter: PermitFilter) =>
  pages(readPage(store, filter))

/** All of them that can be read. @param most about so many */
export function allRecords(
  store: RecordReader,
  filter: PermitFilter,
  most?: number,
): Promise<AuditRecord[]> {
  return readAll(readPage(store, filter), ({ permits }) => allReadable(permits), most)
}

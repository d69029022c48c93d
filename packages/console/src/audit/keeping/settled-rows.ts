import { isDeepStrictEqual } from 'node:util'
import type { AuditRow, NamedEntry, RowLine } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, FiledRow } from '../store.ts'

/** How many rows, or entries of a row, are read at once. */
const ROWS_PER_READ = 1000
/** How many rows are read at the same time. */
const READS_AT_ONCE = 4
/** How often a row is read again because it changed meanwhile. */
const MAX_ATTEMPTS = 20

/**
 * Each row as it is at one moment: with the entries that it is the sum of.
 *
 * @param only the id of the only row that is read; `undefined` for all
 */
export async function* settledRows(
  store: AuditStore,
  only?: string,
): AsyncGenerator<readonly (RowLine | Pick<RowLine, 'entries'>)[]> {
  for (let after: string | undefined; ; ) {
    const page = await store.rowIds({ after, limit: ROWS_PER_READ })
    const rows = page.rows.filter(({ id }) => only === undefined || id === only)
    for (let at = 0; at < rows.length; at += READS_AT_ONCE) {
      const some = rows.slice(at, at + READS_AT_ONCE)
      yield (await Promise.all(some.map((filed) => readLines(store, filed)))).flat()
    }
    if (page.next === undefined) return
    after = page.next
  }
}

async function readLines(store: AuditStore, { id, isMisfiled }: FiledRow) {
  if (isMisfiled) return [{ row: { id }, entries: [], misfiled: true }] satisfies RowLine[]
  const found = await settledRow(store, id)
  if (!found) return []
  const { row, entries, isSettled } = found
  const first: RowLine = {
    ...{ row, entries: entries.slice(0, ROWS_PER_READ) },
    ...(isSettled ? {} : { unsettled: true }),
  }
  const more: Pick<RowLine, 'entries'>[] = []
  for (let at = ROWS_PER_READ; at < entries.length; at += ROWS_PER_READ) {
    more.push({ entries: entries.slice(at, at + ROWS_PER_READ) })
  }
  return [first, ...more]
}

/** An entry changes its row in the same step: a row that is still the same has these entries. */
async function settledRow(store: AuditStore, id: string) {
  let row = await store.row(id)
  for (let attempt = 1; row; attempt += 1) {
    const entries = await readEntries(store, id)
    const again: AuditRow | undefined = await store.row(id)
    const isSettled = isDeepStrictEqual(row, again)
    if (isSettled || attempt === MAX_ATTEMPTS) return { row, entries, isSettled }
    row = again
  }
  return undefined
}

/** All entries of a row or a permit. */
export async function readEntries(store: AuditStore, id: string): Promise<NamedEntry[]> {
  const entries: NamedEntry[] = []
  for (let after: string | undefined; ; ) {
    const page = await store.timeline(id, { after, limit: ROWS_PER_READ })
    for (const { writer, sequence, count, lastTime } of page) {
      entries.push(
        lastTime === undefined ? [writer, sequence] : [writer, sequence, count, lastTime],
      )
    }
    after = page.at(-1)?.cursor
    if (after === undefined || page.length < ROWS_PER_READ) return entries
  }
}

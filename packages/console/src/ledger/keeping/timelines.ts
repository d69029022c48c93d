import type { AuditStore, StoredEntry } from '../store.ts'

/** How many entries are read at once. */
const ENTRIES_PER_READ = 1000

/** The entries of rows, one row after the other: as many statements as there are pages of entries. */
export async function* readTimelines(
  store: Pick<AuditStore, 'timelines'>,
  rows: readonly string[],
): AsyncGenerator<readonly StoredEntry[]> {
  let [left, after]: [readonly string[], string | undefined] = [rows, undefined]
  while (left.length > 0) {
    const page: readonly StoredEntry[] = await store.timelines(left, {
      after,
      limit: ENTRIES_PER_READ,
    })
    yield page
    const last = page.at(-1)
    if (last?.row === undefined || page.length < ENTRIES_PER_READ) return
    left = left.slice(left.indexOf(last.row))
    after = last.cursor
  }
}

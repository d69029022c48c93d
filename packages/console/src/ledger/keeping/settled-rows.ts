import type { RowLine } from 'oidc-provider-impersonation-verify/format'
import { pages } from '../../kernel/pages.ts'
import type { AuditStore, FiledRow } from '../store.ts'

/** How many rows are read at once. */
const ROWS_PER_READ = 200
/** How many entries of a row one line has. */
const ENTRIES_PER_LINE = 1000

/**
 * Each row as it is at one moment: with the entries that it is the sum of.
 *
 * @param only the id of the only row that is read; `undefined` for all
 */
export async function* settledRows(
  store: Pick<AuditStore, 'filedRows'>,
  only?: string,
): AsyncGenerator<readonly (RowLine | Pick<RowLine, 'entries'>)[]> {
  const read = (after: string | undefined) => store.filedRows({ after, limit: ROWS_PER_READ, only })
  for await (const { rows } of pages(read)) yield rows.flatMap(linesOf)
}

function linesOf({ id, row: stored, entries }: FiledRow) {
  const row = stored ?? { id }
  const more: Pick<RowLine, 'entries'>[] = []
  for (let at = ENTRIES_PER_LINE; at < entries.length; at += ENTRIES_PER_LINE) {
    more.push({ entries: entries.slice(at, at + ENTRIES_PER_LINE) })
  }
  return [{ row, entries: entries.slice(0, ENTRIES_PER_LINE) } satisfies RowLine, ...more]
}

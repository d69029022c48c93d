import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../../src/ledger/filters.ts'
import type { AuditStore } from '../../../../src/ledger/store.ts'
import { parseRowCursor, rowCursor } from '../../../../src/ledger/stores/cursor.ts'

/** The methods to replace, given a sound store. */
export type Mutation = (sound: AuditStore) => Partial<AuditStore>

/** Known mistakes of stores, each with a part of the title of the case that has to fail. */
export type Mutants = Readonly<Record<string, readonly [Mutation, string]>>

/** Lets callers that read at the same time go on at different times, as they do with a server. */
export async function aWhile(): Promise<void> {
  calls += 1
  for (let left = 1 + (calls % 3); left > 0; left -= 1) await new Promise(setImmediate)
}
let calls = 0

type Compare = (a: AuditRow, b: AuditRow) => number

/** Positive where `a` is newer than `b`. */
export function comparePositions(a: Position, b: Position): number {
  if (a.at !== b.at) return a.at - b.at
  return a.id === b.id ? 0 : a.id > b.id ? 1 : -1
}
type Position = Pick<AuditRow, 'at' | 'id'>

/** A `find` that sorts in a way of its own. */
export function findInOrder({ find }: AuditStore, compare: Compare): Pick<AuditStore, 'find'> {
  return findIn(async (filter, now) => {
    const { rows } = await find(filter, { limit: 1e9, now })
    return rows.toSorted((a, b) => compare(b, a))
  })
}

/** A `find` that takes one member of the filter out, and matches it in a way of its own. */
export function findByOwn<K extends keyof RowFilter>(
  member: K,
  matches: (wanted: NonNullable<RowFilter[K]>, row: AuditRow, now: number) => boolean,
): Mutation {
  return ({ find }) =>
    findIn(async ({ [member]: wanted, ...filter }, now) => {
      const { rows } = await find(filter, { limit: 1e9, now })
      if (wanted === undefined || wanted === null) return rows
      return rows.filter((row) => matches(wanted, row, now))
    })
}

/** A `find` that cuts pages out of all rows. */
function findIn(
  findAll: (filter: RowFilter, now: number) => Promise<readonly AuditRow[]>,
): Pick<AuditStore, 'find'> {
  return {
    async find(filter, { before, limit, now }) {
      const found = await findAll(filter, now)
      const last = before === undefined ? undefined : parseRowCursor(before)
      const start = last ? found.findIndex(({ id }) => id === last.id) + 1 : 0
      const rows = found.slice(start, start + limit)
      const end = rows.at(-1)
      return { rows, next: found.length > start + limit && end ? rowCursor(end) : undefined }
    },
  }
}

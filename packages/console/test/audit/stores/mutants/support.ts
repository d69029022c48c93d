import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, RowFilter } from '../../../../src/audit/store.ts'
import { comparePositions, parseRowCursor, rowCursor } from '../../../../src/audit/stores/cursor.ts'
import { matcher } from '../../../../src/audit/stores/filter.ts'

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

type Matches = (filter: RowFilter, row: AuditRow, now: number) => boolean
type Compare = (a: AuditRow, b: AuditRow) => number

const sound: Matches = (filter, row, now) => matcher(filter, now)(row)

/** A `find` that asks for all rows, and then matches and sorts in a way of its own. */
export function findBy(
  { find }: AuditStore,
  matches: Matches = sound,
  compare: Compare = comparePositions,
): Pick<AuditStore, 'find'> {
  return {
    async find(filter, { before, limit, now }) {
      const all = (await find({}, { limit: 1e9, now })).rows.toSorted((a, b) => compare(b, a))
      const last = before === undefined ? undefined : parseRowCursor(before)
      const start = last ? all.findIndex(({ id }) => id === last.id) + 1 : 0
      const found = all.slice(start).filter((row) => matches(filter, row, now))
      const rows = found.slice(0, limit)
      const end = rows.at(-1)
      return { rows, next: found.length > limit && end ? rowCursor(end) : undefined }
    },
  }
}

/** A `find` that takes one member of the filter out, and matches it in a way of its own. */
export function findByOwn<K extends keyof RowFilter>(
  member: K,
  matches: (wanted: NonNullable<RowFilter[K]>, row: AuditRow, now: number) => boolean,
): Mutation {
  return (store) =>
    findBy(store, ({ [member]: wanted, ...filter }, row, now) => {
      if (!sound(filter, row, now)) return false
      return wanted === undefined || wanted === null || matches(wanted, row, now)
    })
}

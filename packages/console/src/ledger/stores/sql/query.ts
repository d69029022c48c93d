import { parseRowCursor, type RowPosition, rowCursor } from '../cursor.ts'
import type { Condition } from '../row-columns.ts'
import type { SqlQuery } from './dialect.ts'

type Value = SqlQuery['values'][number]

/** A bigint of pg arrives as text. As a float it is a number, and exact below 2^53. */
export const asNumber = (name: string) => `CAST(${name} AS float8) AS ${name}`

export function query(text: string, ...values: readonly Value[]): SqlQuery {
  return { text, values }
}

export function whereOf(conditions: readonly Condition[]): { where: string; values: Value[] } {
  return {
    where: conditions.map(({ sql }) => sql).join(' AND ') || 'true',
    values: conditions.flatMap(({ values }) => values),
  }
}

/** @param found one more than `limit`, where there are more */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  positionOf: (last: T) => RowPosition,
): { readonly items: readonly T[]; readonly next: string | undefined } {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last ? rowCursor(positionOf(last)) : undefined }
}

/** In which order rows or permits are read, and what stands beyond a cursor. */
export function orderOf(oldestFirst: true | undefined): {
  readonly order: string
  isBeyond(cursor: string): Condition
} {
  const [direction, sign] = oldestFirst ? ['ASC', '>'] : ['DESC', '<']
  return {
    order: `at ${direction}, id ${direction}`,
    isBeyond(cursor) {
      const { at, id } = parseRowCursor(cursor)
      return { sql: `(at, id) ${sign} (CAST(? AS bigint), ?)`, values: [at, id] }
    },
  }
}

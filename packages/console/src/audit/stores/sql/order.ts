import { parseRowCursor } from '../cursor.ts'
import type { Condition } from '../row-columns.ts'

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

import { wordsOf } from 'oidc-provider-impersonation-verify/chain'
import type { RowFilter } from '../../filters.ts'
import type { ListPage, RowPage } from '../../store.ts'
import { parseRowCursor, type RowPosition, rowCursor } from '../cursor.ts'
import { allOf, asNumber, comparisonsOf, type IndexedCondition } from '../row-columns.ts'
import { numberIn, type ResultRow, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect } from './dialect.ts'
import { joined, raw, type Sql, sql } from './sql.ts'

/** So many rows are compared for a page at most. */
const MAX_ROWS_COMPARED = 5000
/** So many rows are counted: what is more is told as more. */
const MAX_ROWS_COUNTED = 1000
/** The index of words finds so many rows. If more have all words, rows are compared in their order. */
const MAX_ROWS_BY_WORDS = 2000
/** Frequent words are found among so many of the first rows. */
const FIRST_ROWS_COMPARED = 200
/** A word that more of them have is frequent: the index would read an entry for each row of the table that has it. */
const MAX_ROWS_OF_RARE_WORD = 4

/** Rows that are looked at, and what is found among them. */
interface Walk {
  /** The condition of the rows: an index has them in their order. */
  readonly rows: Sql
  readonly order: Sql
  /** The condition of those that are found; `undefined` for all. */
  readonly those: Sql | undefined
  /** The column `data` that is read of them. */
  readonly data: Sql
  readonly limit: number
}

const AT = asNumber('at')

interface Walked {
  readonly rows: readonly ResultRow[]
  /** The last row that was looked at, where the walk ended before the limit was reached and there may be more. */
  readonly edge: RowPosition | undefined
}

/** Searches that read as many rows as a page may take, however many there are. */
export function sqlSearch(dialect: SqlDialect) {
  const { rowIn } = sumReader(dialect.isCanonical)

  /** Looks at so many rows, one after the other. */
  async function walk({ rows, order, those, data, limit }: Walk, most: number): Promise<Walked> {
    const from = sql`FROM impersonation_audit_impersonation WHERE ${rows} ORDER BY ${order}`
    if (!those)
      return foundIn(await dialect.read(sql`SELECT ${data} AS data ${from} LIMIT ${limit}`))
    // The comparison stands outside, so that the planner reads the rows in their order, and no more than these.
    return foundIn(
      await dialect.readByIndex(sql`
WITH found AS MATERIALIZED (
  SELECT at, id, data FROM (SELECT * ${from} LIMIT ${most}) AS looked
  WHERE ${those} ORDER BY ${order} LIMIT ${limit})
SELECT ${AT}, id, ${data} AS data, 0 AS is_edge FROM found
UNION ALL
SELECT ${AT}, id, NULL, 1 FROM (SELECT at, id ${from} LIMIT 1 OFFSET ${most - 1}) AS edge
WHERE (SELECT count(*) FROM found) < ${limit}`),
    )
  }

  /** Those of the words that few of the first rows have. */
  async function rareOf({ rows, order }: Walk, words: readonly string[]): Promise<string[]> {
    const counts = words.map((word, index) => {
      const [inRow, name] = [dialect.matching.inRow([word]), raw(`n${index}`)]
      return sql`CAST(count(CASE WHEN ${inRow} THEN 1 END) AS float8) AS ${name}`
    })
    const [found = {}] = await dialect.readByIndex(sql`SELECT ${joined(counts, ', ')}
FROM (SELECT * FROM impersonation_audit_impersonation WHERE ${rows} ORDER BY ${order}
  LIMIT ${FIRST_ROWS_COMPARED}) AS looked`)
    return words.filter((_, index) => numberIn(found, `n${index}`) <= MAX_ROWS_OF_RARE_WORD)
  }

  /** All rows with these words, where they are few; `undefined` where they are not. */
  async function findByWords(
    { rows, order, those, data, limit }: Walk,
    words: readonly string[],
  ): Promise<Walked | undefined> {
    const byIndex = dialect.matching.byIndex(words, MAX_ROWS_BY_WORDS + 1)
    const found = foundIn(
      await dialect.readByIndex(sql`
WITH matching AS MATERIALIZED (SELECT * FROM impersonation_audit_impersonation WHERE ${byIndex}
  LIMIT ${MAX_ROWS_BY_WORDS + 1})
SELECT ${AT}, id, data, 0 AS is_edge FROM (
  SELECT at, id, ${data} AS data FROM matching
  WHERE (SELECT count(*) FROM matching) <= ${MAX_ROWS_BY_WORDS} AND ${rows} AND ${those ?? raw('true')}
  ORDER BY ${order} LIMIT ${limit}) AS found
UNION ALL
SELECT 0, '', NULL, 1 WHERE (SELECT count(*) FROM matching) > ${MAX_ROWS_BY_WORDS}`),
    )
    return found.edge ? undefined : found
  }

  /** Returns the walk for a filter, and the words that an index may find; `undefined` if nothing can match. */
  function walkOf(filter: RowFilter, now: number, range: RowRange) {
    const words = filter.text === undefined ? [] : wordsOf(filter.text)
    if (filter.text !== undefined && words.length === 0) return undefined
    const { indexed, others } = comparisonsOf(filter, now)
    const [first, ...rest] = indexed
    const matching = words.length === 0 ? [] : [dialect.matching.inRow(words)]
    const those = [...rest.map(({ condition }) => condition), ...others, ...matching]
    return {
      ...orderedRows(first, range),
      those: those.length > 0 ? allOf(those) : undefined,
      words: first?.isRare ? [] : words,
    }
  }

  return {
    async find(
      filter: RowFilter,
      { before, limit, now, oldestFirst = false }: ListPage & { readonly now: number },
    ): Promise<RowPage> {
      const beyond = before === undefined ? undefined : parseRowCursor(before)
      const walked = walkOf(filter, now, rangeOf(filter, oldestFirst, beyond))
      if (!walked) return { rows: [], next: undefined }
      const { words, ...conditions } = walked
      const wanted = { ...conditions, data: sql`CAST(data AS text)`, limit: limit + 1 }
      let found = await walk(wanted, words.length > 0 ? FIRST_ROWS_COMPARED : MAX_ROWS_COMPARED)
      if (words.length > 0 && found.edge) {
        const rare = await rareOf(wanted, words)
        const few = rare.length > 0 ? await findByWords(wanted, rare) : undefined
        found = few ?? (await walk(wanted, MAX_ROWS_COMPARED))
      }
      const rows = found.rows.slice(0, limit).map(rowIn)
      const { edge } = found
      if (edge) return { rows, next: rowCursor(edge), lookedTo: edge.at }
      const last = rows.at(-1)
      return { rows, next: found.rows.length > limit && last ? rowCursor(last) : undefined }
    },

    async countNewer(filter: RowFilter, than: RowPosition, now: number) {
      const walked = walkOf(filter, now, rangeOf(filter, true, than))
      if (!walked) return { count: 0, more: false }
      const wanted = { ...walked, data: sql`NULL`, limit: MAX_ROWS_COUNTED + 1 }
      const { rows, edge } = await walk(wanted, MAX_ROWS_COMPARED)
      const count = Math.min(rows.length, MAX_ROWS_COUNTED)
      return { count, more: rows.length > MAX_ROWS_COUNTED || edge !== undefined }
    },
  }
}

/** A part of the order of rows, without the positions themselves, and the side from which it is looked at. */
interface RowRange {
  readonly above: RowPosition | undefined
  readonly below: RowPosition | undefined
  readonly oldestFirst: boolean
}

function rangeOf(
  { from, to }: RowFilter,
  oldestFirst: boolean,
  beyond: RowPosition | undefined,
): RowRange {
  // No id comes before the empty one: all rows of the time come after it.
  let [above, below] = [from, to].map((at) => (at === undefined ? undefined : { at, id: '' }))
  if (beyond && oldestFirst && !(above && above.at > beyond.at)) above = beyond
  if (beyond && !oldestFirst && !(below && below.at <= beyond.at)) below = beyond
  return { above, below, oldestFirst }
}

/**
 * Rows of an index in their order. The column that the index begins with is a part of the order and of each
 * position. With `=`, the planner of PostgreSQL may take the index of all rows instead, and look for those of an
 * operator who left long ago among all that came since.
 */
function orderedRows(
  first: IndexedCondition | undefined,
  { above, below, oldestFirst }: RowRange,
): Pick<Walk, 'order' | 'rows'> {
  const { key, condition } = first ?? {}
  const direction = raw(oldestFirst ? 'ASC' : 'DESC')
  const order = sql`at ${direction}, id ${direction}`
  const beyond = (sign: Sql, position: RowPosition | undefined): Sql[] => {
    const place = position && sql`CAST(${position.at} AS bigint), ${position.id}`
    if (!key) return place ? [sql`(at, id) ${sign} (${place})`] : []
    const { column, value } = key
    return [
      place
        ? sql`(${column}, at, id) ${sign} (${value}, ${place})`
        : sql`${column} ${sign}= ${value}`,
    ]
  }
  const all = key ? sql`${key.column} IS NOT NULL` : condition
  return {
    rows: allOf([...(all ? [all] : []), ...beyond(sql`>`, above), ...beyond(sql`<`, below)]),
    order: key ? sql`${key.column} ${direction}, ${order}` : order,
  }
}

function foundIn(all: readonly ResultRow[]): Walked {
  const edge = all.find((row) => row.is_edge === 1)
  return {
    rows: all.filter((row) => row !== edge),
    edge: edge && { at: numberIn(edge, 'at'), id: textIn(edge, 'id') },
  }
}

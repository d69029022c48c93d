import { ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type {
  EntryPage,
  FiledEntry,
  FoundRow,
  KeptRecord,
  RowPage,
  StoredSeal,
  Sum,
} from '../../store.ts'
import { unapprovedOf } from '../../unapproved.ts'
import { asNumber, isRowId } from '../row-columns.ts'
import { numberIn, type ResultRow, storedEntryOf, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect } from './dialect.ts'
import { assertSchema } from './migrations.ts'
import { sqlPermits } from './permits.ts'
import { sqlSearch } from './search.ts'
import { raw, type Sql, sql } from './sql.ts'

// `ORDER BY number` alone would sort the number that is read, which no index has.
const BY_NUMBER = raw('ORDER BY impersonation_audit_entry.number')
// Each value has a `?` of its own: node:sqlite of Node 22.13 to 22.19 takes no values for `?1`.

const NUMBER = asNumber('number')
const VERSION = asNumber('version')
/** Of entries that are read. */
const READ_ENTRY = sql`SELECT ${NUMBER}, digest, text, mac FROM`
const READ_SEAL = sql`SELECT ${NUMBER}, ${asNumber('last')}, jws, mac FROM impersonation_audit_seal`

// In a JSON string, the quotes would be escaped.
const IS_ERASURE = sql`text LIKE ${`%"event":"${ERASED_EVENT}"%`}`

const IMPERSONATION = raw('impersonation')
const RECORD = raw('record')

/** Keeps the audit in a SQL database. */
export function sqlStore(dialect: SqlDialect, keepFor: number | undefined) {
  const { open, close, deadlineIn, write, remove, overwriteRemoved } = dialect
  const read = (...query: Parameters<typeof sql>) => dialect.read(sql(...query))
  const { sumIn, filedIn } = sumReader(dialect.isCanonical)
  const search = sqlSearch(dialect)

  async function sums(ids: readonly string[]) {
    const isOne = dialect.isIn(sql`id`, ids)
    const of = (
      kind: Sql,
    ) => sql`SELECT '${kind}' AS kind, id, ${VERSION}, CAST(data AS text) AS data
FROM impersonation_audit_${kind} WHERE ${isOne}`
    const found = await read`${of(IMPERSONATION)} UNION ALL ${of(RECORD)}`
    return new Map(found.map((columns) => [textIn(columns, 'id'), sumIn(columns)]))
  }

  /** @throws Error for what cannot be read */
  async function sumOf(id: string): Promise<Sum | undefined> {
    const sum = isRowId(id) ? (await sums([id])).get(id) : undefined
    if (sum !== 'unreadable') return sum
    throw new Error(`the storage of the audit has ${id} in a form that cannot be read`)
  }

  /** Rows say how nobody approved them. */
  async function marked(rows: readonly FoundRow[]): Promise<FoundRow[]> {
    const permits = [...new Set(rows.flatMap(({ permit = [] }) => permit))]
    const found = permits.length > 0 ? await sums(permits) : new Map<string, never>()
    return rows.map((row) => ({ ...row, ...unapprovedOf(row, found) }))
  }

  const readSeals = async (which: Sql) => (await read`${READ_SEAL} ${which}`).map(storedSealIn)

  const newestSeals = (limit: number) =>
    readSeals(sql`ORDER BY impersonation_audit_seal.number DESC LIMIT ${limit}`)

  // Methods are async, so that an exception becomes a rejection.
  return {
    /**
     * Time that a row is kept after its last entry, in seconds; `undefined` for ever. Rows on hold are
     * kept until they are released.
     */
    keepFor,

    /** Returns what these ids are by now, by one statement: `'unreadable'` for what cannot be read. */
    sums,

    /**
     * At most `limit` rows whose `lastAt` is before this time and that are not on hold, as many permits whose `overAt`
     * is before it, and as many entries about neither. What says that something was erased is kept for ever.
     */
    async old(before: number, limit: number) {
      const of = (kind: Sql, column: Sql, which: Sql) => sql`
SELECT * FROM (SELECT id, ${VERSION} FROM impersonation_audit_${kind} WHERE ${column} < ${before}${which}
  ORDER BY ${column} LIMIT ${limit}) AS old_${kind}`
      const rows = of(IMPERSONATION, sql`last_at`, sql` AND held_at IS NULL`)
      const records = of(RECORD, sql`over_at`, sql``)
      const found = await read`${rows} UNION ALL ${records}`
      const alone =
        await read`SELECT ${NUMBER} FROM impersonation_audit_entry WHERE subject IS NULL AND text IS NOT NULL AND time < ${before}
  AND NOT ${IS_ERASURE} ORDER BY time LIMIT ${limit}`
      return {
        sums: found.map((columns) => {
          return { id: textIn(columns, 'id'), version: numberIn(columns, 'version') }
        }),
        alone: alone.map((columns) => numberIn(columns, 'number')),
      }
    },

    ...sqlPermits(dialect),
    /**
     * Counts the rows that match and are newer than this one: at most 1000.
     *
     * @returns `more`: there may be more, because it ended where it had counted or compared so many
     */
    countNewer: search.countNewer,

    /**
     * The newest `limit` rows that match, older than the cursor (or of all). With `oldestFirst`, the oldest
     * ones, newer than the cursor. A page may have fewer and yet a `next`: see `lookedTo`.
     *
     * @param now for outcomes, in milliseconds since the epoch
     */
    async find(...asked: Parameters<typeof search.find>): Promise<RowPage> {
      const found = await search.find(...asked)
      return { ...found, rows: await marked(found.rows) }
    },

    /** Creates what is missing. Safe in several processes at once, and again. */
    open,

    /** Closes what `open` opened, and nothing that was handed in. */
    close,

    /**
     * Compares the tables with those that `open` creates. In SQLite, it also compares what is searched with the
     * rows. Called before each export. Those who call it while a comparison runs share the next one.
     *
     * @throws Error that says what differs, with `code: 'ERR_AUDIT_SCHEMA'`. So does `open`.
     */
    assertSchema: () => sharedRead(dialect, () => assertSchema(dialect)),

    /** The deadline of a write, by the clock that `write` compares it with. @param withinMs at most so long from now on */
    deadlineIn,

    /**
     * Writes a batch, where each sum has the version that was looked at. The same batch with the same deadline again
     * answers what became of it: so the outcome of a write whose answer was lost is known after the deadline.
     *
     * @throws UnstorableError where the batch is refused for what is in it: nothing of it is stored
     * @throws Error where it is not known whether it is stored
     */
    write,

    /**
     * Removes rows and permits that have these versions, with the texts of all their entries, in one step. Of each
     * entry number and digest are kept, for ever.
     *
     * @returns how many rows, permits and entries about neither were removed
     */
    remove,

    /** @throws Error for one that cannot be read */
    async row(id: string) {
      const sum = await sumOf(id)
      return sum?.kind === 'impersonation' ? (await marked([sum.row]))[0] : undefined
    },

    /** The permit as it is stored by now: never from a copy that may be older. */
    async permit(id: string): Promise<KeptRecord | undefined> {
      const sum = await sumOf(id)
      return sum?.kind === 'record' ? { ...sum.permit, last: sum.version } : undefined
    },

    /** The entries of a row, in the order in which they were stored. */
    async timeline(id: string, { after = 0, limit }: EntryPage) {
      if (!isRowId(id)) return []
      const found =
        await read`${READ_ENTRY} impersonation_audit_entry WHERE subject = ${id} AND number > ${after}
${BY_NUMBER} LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    /**
     * The entries of several rows, in one statement: one row after the other as they are given, each from its first
     * entry on. Of the first row, those after `after`.
     */
    async timelines(ids: readonly string[], { after = 0, limit }: EntryPage) {
      const rows = dialect.texts(ids.map((id) => (isRowId(id) ? id : '')))
      const found =
        await read`${READ_ENTRY} (${rows}) AS rows JOIN impersonation_audit_entry ON subject = value
WHERE place > 0 OR number > ${after} ORDER BY place, number LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    /**
     * All entries in the order in which they became visible. A reader that goes on from the last number misses no
     * entry of any process.
     */
    async entries({ after = 0, limit }: EntryPage) {
      const found = await read`${READ_ENTRY} impersonation_audit_entry
WHERE number > ${after} ${BY_NUMBER} LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    /** The same with sums: one statement reads both as they are at one moment. */
    async filed({ after = 0, limit }: EntryPage): Promise<FiledEntry[]> {
      const found =
        await read`SELECT CAST(entry.number AS float8) AS number, digest, text, mac, entry.subject AS id,
  CASE WHEN record.id IS NOT NULL THEN 'record' WHEN impersonation.id IS NOT NULL THEN 'impersonation' END AS kind,
  CAST(coalesce(record.data, impersonation.data) AS text) AS data, ${asNumber('first')}
FROM impersonation_audit_entry AS entry
LEFT JOIN impersonation_audit_impersonation AS impersonation
  ON impersonation.id = entry.subject AND impersonation.version = entry.number
LEFT JOIN impersonation_audit_record AS record ON record.id = entry.subject AND record.version = entry.number
WHERE entry.number > ${after} ORDER BY entry.number LIMIT ${limit}`
      return found.map((columns) => ({
        ...storedEntryOf(columns),
        sum: columns.kind === null ? undefined : filedIn(columns),
      }))
    },

    /** Sums, at most 100, whose last entry is not there: somebody changed the storage. */
    async strays() {
      const of = (kind: Sql, first: Sql, or: Sql) => sql`
SELECT * FROM (SELECT '${kind}' AS kind, id, CAST(data AS text) AS data, CAST(${first} AS float8) AS first
  FROM impersonation_audit_${kind} AS sum
  WHERE NOT EXISTS (SELECT 1 FROM impersonation_audit_entry WHERE number = version AND subject = sum.id)${or}
  LIMIT 100) AS stray_${kind}`
      const isRecord = sql` OR id IN (SELECT id FROM impersonation_audit_record)`
      const rows = of(IMPERSONATION, sql`0`, isRecord)
      const records = of(RECORD, sql`first`, sql``)
      const found = await read`${rows} UNION ALL ${records}`
      return found.map(filedIn)
    },

    /** The number of the last entry; 0 in an empty store. */
    async newest() {
      const [found] =
        await read`SELECT ${NUMBER} FROM impersonation_audit_entry ${BY_NUMBER} DESC LIMIT 1`
      return found ? numberIn(found, 'number') : 0
    },

    /**
     * Called after an erasure: overwrites what was removed where a file still has it. A storage that cannot do
     * that does nothing.
     */
    overwriteRemoved,

    newestSeals,

    async removeSeal({ number, jws }: StoredSeal) {
      await read`DELETE FROM impersonation_audit_seal WHERE number = ${number} AND jws = ${jws}`
    },

    /** @returns `false` where there is a seal with this number: another process was first */
    async addSeal({ number, last, jws, mac }: StoredSeal) {
      const added =
        await read`INSERT INTO impersonation_audit_seal (number, last, jws, mac) VALUES (${number}, ${last}, ${jws}, ${mac})
ON CONFLICT (number) DO NOTHING RETURNING jws`
      return added.length > 0
    },

    /** Seals in their order, after a number. */
    sealsAfter: async (number: number, limit: number) =>
      readSeals(
        sql`WHERE number > ${number} ORDER BY impersonation_audit_seal.number LIMIT ${limit}`,
      ),

    /** The number of the first seal that covers this entry; `undefined` where none does. */
    async sealOf(entry: number) {
      const [found] = await read`SELECT ${NUMBER} FROM impersonation_audit_seal
WHERE last = (SELECT min(last) FROM impersonation_audit_seal WHERE last >= ${entry})
ORDER BY impersonation_audit_seal.number LIMIT 1`
      return found && numberIn(found, 'number')
    },

    /** The newest seals (JWS), newest first: keep them elsewhere. */
    seals: async (limit: number) => (await newestSeals(limit)).map(({ jws }) => jws),
  }
}

function storedSealIn(columns: ResultRow): StoredSeal {
  const [number, last] = [numberIn(columns, 'number'), numberIn(columns, 'last')]
  return { number, last, jws: textIn(columns, 'jws'), mac: textIn(columns, 'mac') }
}

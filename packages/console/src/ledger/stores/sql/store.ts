import { ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type { AuditStore, FoundRow, StoredSeal, Sum } from '../../store.ts'
import { unapprovedOf } from '../../unapproved.ts'
import { UnstorableError } from '../../unstorable.ts'
import { asNumber, isRowId } from '../row-columns.ts'
import { numberIn, type ResultRow, storedEntryOf, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect } from './dialect.ts'
import { assertSchema } from './migrations.ts'
import { sqlPermits } from './permits.ts'
import { sqlSearch } from './search.ts'
import { raw, type Sql, sql } from './sql.ts'

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
export function sqlStore(dialect: SqlDialect, keepFor: number | undefined): AuditStore {
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

  async function old(before: number, limit: number) {
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
  }

  const readSeals = async (which: Sql) => (await read`${READ_SEAL} ${which}`).map(storedSealIn)

  const newestSeals = (limit: number) => readSeals(sql`ORDER BY number DESC LIMIT ${limit}`)

  // Methods are async, so that an exception becomes a rejection.
  return {
    keepFor,
    sums,
    old,
    ...sqlPermits(dialect),
    countNewer: search.countNewer,
    async find(filter, page) {
      const found = await search.find(filter, page)
      return { ...found, rows: await marked(found.rows) }
    },
    open: async () => dialect.open(),
    close: async () => dialect.close(),
    assertSchema: () => sharedRead(dialect, () => assertSchema(dialect)),
    deadlineIn: dialect.deadlineIn,

    async write(batch, deadline) {
      try {
        return await dialect.write(batch, deadline)
      } catch (cause) {
        const refusal = dialect.refusalOf(cause)
        throw refusal === undefined ? cause : new UnstorableError(refusal, { cause })
      }
    },

    remove: async (removal) => dialect.remove(removal),

    async row(id) {
      const sum = await sumOf(id)
      return sum?.kind === 'impersonation' ? (await marked([sum.row]))[0] : undefined
    },

    async permit(id) {
      const sum = await sumOf(id)
      return sum?.kind === 'record' ? { ...sum.permit, last: sum.version } : undefined
    },

    async timeline(id, { after = 0, limit }) {
      if (!isRowId(id)) return []
      const found =
        await read`${READ_ENTRY} impersonation_audit_entry WHERE subject = ${id} AND number > ${after}
ORDER BY subject, number LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    async timelines(ids, { after = 0, limit }) {
      const rows = dialect.texts(ids.map((id) => (isRowId(id) ? id : '')))
      const found =
        await read`${READ_ENTRY} (${rows}) AS rows JOIN impersonation_audit_entry ON subject = value
WHERE place > 0 OR number > ${after} ORDER BY place, number LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    async entries({ after = 0, limit }) {
      const found = await read`${READ_ENTRY} impersonation_audit_entry
WHERE number > ${after} ORDER BY number LIMIT ${limit}`
      return found.map(storedEntryOf)
    },

    async filed({ after = 0, limit }) {
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

    async newest() {
      const [found] =
        await read`SELECT ${NUMBER} FROM impersonation_audit_entry ORDER BY number DESC LIMIT 1`
      return found ? numberIn(found, 'number') : 0
    },

    async overwriteRemoved() {
      await dialect.overwriteRemoved?.()
    },

    newestSeals,

    async removeSeal({ number, jws }) {
      await read`DELETE FROM impersonation_audit_seal WHERE number = ${number} AND jws = ${jws}`
    },

    async addSeal({ number, last, jws, mac }) {
      const added =
        await read`INSERT INTO impersonation_audit_seal (number, last, jws, mac) VALUES (${number}, ${last}, ${jws}, ${mac})
ON CONFLICT (number) DO NOTHING RETURNING jws`
      return added.length > 0
    },

    sealsAfter: async (number, limit) =>
      readSeals(sql`WHERE number > ${number} ORDER BY number LIMIT ${limit}`),

    async sealOf(entry) {
      const [found] =
        await read`SELECT ${NUMBER} FROM impersonation_audit_seal WHERE last >= ${entry} ORDER BY last, number LIMIT 1`
      return found && numberIn(found, 'number')
    },

    seals: async (limit) => (await newestSeals(limit)).map(({ jws }) => jws),
  }
}

function storedSealIn(columns: ResultRow): StoredSeal {
  const [number, last] = [numberIn(columns, 'number'), numberIn(columns, 'last')]
  return { number, last, jws: textIn(columns, 'jws'), mac: textIn(columns, 'mac') }
}

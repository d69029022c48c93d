import { ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type { AuditStore, FiledSum, StoredSeal, Sum } from '../../store.ts'
import { UnstorableError } from '../../unstorable.ts'
import { parseNumberCursor } from '../cursor.ts'
import { asNumber, isRowId } from '../row-columns.ts'
import {
  markedEntryOf,
  numberIn,
  type ResultRow,
  storedEntryOf,
  textIn,
} from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect, SqlQuery } from './dialect.ts'
import { assertSchema } from './migrations.ts'
import { sqlPermits } from './permits.ts'
import { sqlSearch } from './search.ts'

// Each value has a `?` of its own: node:sqlite of Node 22.13 to 22.19 takes no values for `?1`.

/** Of entries that are read. */
const READ_ENTRY = `${asNumber('number')}, digest, text`
const READ_SEAL = `SELECT ${asNumber('number')}, ${asNumber('last')}, jws, mac FROM impersonation_audit_seal`

// In a JSON string, the quotes would be escaped.
const says = (event: string) => `text LIKE '%"event":"${event}"%'`

/** Keeps the audit in a SQL database. */
export function sqlStore(dialect: SqlDialect, keepFor: number | undefined): AuditStore {
  const { isIn, texts } = dialect
  const { rowIn, sumIn, filedIn } = sumReader(dialect.isCanonical)
  const read = (text: string, ...values: SqlQuery['values']) => dialect.read({ text, values })
  const readEntries = async (text: string, ...values: SqlQuery['values']) =>
    (await read(text, ...values)).map(storedEntryOf)

  async function sums(ids: readonly string[]) {
    const known = JSON.stringify(ids)
    const of = (kind: Sum['kind']) =>
      `SELECT '${kind}' AS kind, id, ${asNumber('version')}, CAST(data AS text) AS data
FROM impersonation_audit_${kind} WHERE ${isIn('id')}`
    const found = await read(`${of('impersonation')} UNION ALL ${of('record')}`, known, known)
    return new Map(found.map((columns) => [textIn(columns, 'id'), sumIn(columns)]))
  }

  function filedSumIn(columns: ResultRow): FiledSum {
    const value = filedIn(columns)
    if (columns.kind !== 'record') return { kind: 'impersonation', value }
    return { kind: 'record', value: { ...value, first: numberIn(columns, 'first') } }
  }

  async function old(before: number, limit: number) {
    const of = (kind: Sum['kind'], column: string, where = '') => `
SELECT * FROM (SELECT id, ${asNumber('version')} FROM impersonation_audit_${kind} WHERE ${column} < ?${where}
  ORDER BY ${column} LIMIT ?) AS old_${kind}`
    const rows = of('impersonation', 'last_at', ' AND held_at IS NULL')
    const found = await read(
      `${rows} UNION ALL ${of('record', 'over_at')}`,
      before,
      limit,
      before,
      limit,
    )
    const alone = await read(
      `SELECT ${asNumber('number')} FROM impersonation_audit_entry WHERE subject IS NULL AND text IS NOT NULL AND time < ?
  AND NOT ${says(ERASED_EVENT)} ORDER BY time LIMIT ?`,
      before,
      limit,
    )
    return {
      sums: found.map((columns) => {
        return { id: textIn(columns, 'id'), version: numberIn(columns, 'version') }
      }),
      alone: alone.map((columns) => numberIn(columns, 'number')),
    }
  }

  const newestSeals = async (limit: number) =>
    (await read(`${READ_SEAL} ORDER BY number DESC LIMIT ?`, limit)).map(storedSealIn)

  // Methods are async, so that an exception becomes a rejection.
  return {
    keepFor,
    sums,
    old,
    ...sqlPermits(dialect),
    ...sqlSearch(dialect),
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
      if (!isRowId(id)) return undefined
      const [found] = await read(
        `SELECT CAST(data AS text) AS data FROM impersonation_audit_impersonation WHERE id = ?`,
        id,
      )
      return found && rowIn(found)
    },

    timeline: async (id, { after, limit }) =>
      isRowId(id)
        ? readEntries(
            `SELECT ${READ_ENTRY} FROM impersonation_audit_entry WHERE subject = ? AND number > ?
ORDER BY subject, number LIMIT ?`,
            id,
            numberOf(after),
            limit,
          )
        : [],

    timelines: async (ids, { after, limit }) =>
      readEntries(
        `SELECT ${READ_ENTRY} FROM (${texts}) AS rows JOIN impersonation_audit_entry ON subject = value
WHERE place > 0 OR number > ? ORDER BY place, number LIMIT ?`,
        JSON.stringify(ids.map((id) => (isRowId(id) ? id : ''))),
        numberOf(after),
        limit,
      ),

    async entries({ after, limit }) {
      const found = await read(
        `SELECT ${READ_ENTRY}, mac FROM impersonation_audit_entry WHERE number > ? ORDER BY number LIMIT ?`,
        numberOf(after),
        limit,
      )
      return found.map(markedEntryOf)
    },

    async filed({ after, limit }) {
      const found = await read(
        `SELECT CAST(entry.number AS float8) AS number, digest, text, entry.subject AS id,
  CASE WHEN record.id IS NOT NULL THEN 'record' WHEN impersonation.id IS NOT NULL THEN 'impersonation' END AS kind,
  CAST(coalesce(record.data, impersonation.data) AS text) AS data, ${asNumber('first')}
FROM impersonation_audit_entry AS entry
LEFT JOIN impersonation_audit_impersonation AS impersonation
  ON impersonation.id = entry.subject AND impersonation.version = entry.number
LEFT JOIN impersonation_audit_record AS record ON record.id = entry.subject AND record.version = entry.number
WHERE entry.number > ? ORDER BY entry.number LIMIT ?`,
        numberOf(after),
        limit,
      )
      return found.map((columns) => ({
        ...storedEntryOf(columns),
        sum: columns.kind === null ? undefined : filedSumIn(columns),
      }))
    },

    async strays() {
      const of = (kind: Sum['kind'], first: string, or = '') => `
SELECT * FROM (SELECT '${kind}' AS kind, id, CAST(data AS text) AS data, CAST(${first} AS float8) AS first
  FROM impersonation_audit_${kind} AS sum
  WHERE NOT EXISTS (SELECT 1 FROM impersonation_audit_entry WHERE number = version AND subject = sum.id)${or}
  LIMIT 100) AS stray_${kind}`
      const rows = of('impersonation', '0', ' OR id IN (SELECT id FROM impersonation_audit_record)')
      const found = await read(`${rows} UNION ALL ${of('record', 'first')}`)
      return found.map(filedSumIn)
    },

    async newest() {
      const [found] = await read(
        `SELECT ${asNumber('number')} FROM impersonation_audit_entry ORDER BY number DESC LIMIT 1`,
      )
      return found && String(numberIn(found, 'number'))
    },

    async overwriteRemoved() {
      await dialect.overwriteRemoved?.()
    },

    newestSeals,

    async removeSeal({ number, jws }) {
      await read(`DELETE FROM impersonation_audit_seal WHERE number = ? AND jws = ?`, number, jws)
    },

    async addSeal({ number, last, jws, mac }) {
      const added = await read(
        `INSERT INTO impersonation_audit_seal (number, last, jws, mac) VALUES (?, ?, ?, ?)
ON CONFLICT (number) DO NOTHING RETURNING jws`,
        number,
        last,
        jws,
        mac,
      )
      return added.length > 0
    },

    async sealsAfter(number, limit) {
      return (
        await read(`${READ_SEAL} WHERE number > ? ORDER BY number LIMIT ?`, number, limit)
      ).map(storedSealIn)
    },

    async sealOf(entry) {
      const [found] = await read(
        `SELECT ${asNumber('number')} FROM impersonation_audit_seal WHERE last >= ? ORDER BY last, number LIMIT 1`,
        entry,
      )
      return found && numberIn(found, 'number')
    },

    seals: async (limit) => (await newestSeals(limit)).map(({ jws }) => jws),
  }
}

function storedSealIn(columns: ResultRow): StoredSeal {
  const [number, last] = [numberIn(columns, 'number'), numberIn(columns, 'last')]
  return { number, last, jws: textIn(columns, 'jws'), mac: textIn(columns, 'mac') }
}

function numberOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseNumberCursor(cursor)
}

import { malformedCursor } from './cursor.ts'
import { encodeEntry, USED_TEXT } from './entry.ts'
import { placeReader } from './reader.ts'
import type { AuditStore, Needed, Place } from './store.ts'

/** The part of a pool of pg that is used. */
export interface PostgresPool {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>
}

const LOCK = `pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('support_audit'))`
const LARGEST = 2n ** 63n - 1n
const OTHERS = `left(entry, ${USED_TEXT.length}) <> '${USED_TEXT}'`

// Several copies may start at once. CREATE TABLE IF NOT EXISTS alone would then fail in one of
// them. One query string is one transaction, which holds the lock to its end. ADD COLUMN updates
// the table of the previous version.
const SCHEMA = `
SELECT ${LOCK};
CREATE TABLE IF NOT EXISTS support_audit (
  id    bigserial PRIMARY KEY,
  entry text NOT NULL
);
ALTER TABLE support_audit
  ADD COLUMN IF NOT EXISTS repeat_key text,
  ADD COLUMN IF NOT EXISTS count bigint NOT NULL DEFAULT 1,
  ADD COLUMN IF NOT EXISTS last_time bigint;
CREATE UNIQUE INDEX IF NOT EXISTS support_audit_repeat_key ON support_audit (repeat_key);
CREATE INDEX IF NOT EXISTS support_audit_others ON support_audit (id) WHERE ${OTHERS};
CREATE TABLE IF NOT EXISTS support_audit_writer (
  writer text PRIMARY KEY,
  batch  bigint NOT NULL,
  at     timestamptz NOT NULL
);
`

/** A batch is never repeated after this time. */
const FORGET = `DELETE FROM support_audit_writer WHERE at < now() - interval '1 day'`

/**
 * A sequence counts before the commit. Of two parallel inserts, the later id may become visible
 * first. A reader that continues from there would never see the other one. The lock prevents this:
 * it lasts until the insert is visible, and no other insert takes an id before.
 *
 * `fresh` has a row only for a batch that is not written yet. If the same batch is sent twice, the
 * second waits for the first.
 */
const INSERT = `
WITH turn AS MATERIALIZED (SELECT ${LOCK}),
fresh AS (
  INSERT INTO support_audit_writer (writer, batch, at) SELECT $1, $2, now() FROM turn
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at
    WHERE support_audit_writer.batch < excluded.batch
  RETURNING writer
)
INSERT INTO support_audit (entry, repeat_key, count, last_time)
SELECT record.entry, record.repeat_key, record.count, record.last_time
FROM fresh, unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY
  AS record (entry, repeat_key, count, last_time, place)
ORDER BY record.place
ON CONFLICT (repeat_key) DO UPDATE SET
  count = support_audit.count + excluded.count,
  last_time = greatest(support_audit.last_time, excluded.last_time)`

const COLUMNS = 'id, entry, count, last_time AS "lastTime"'

interface Row {
  readonly id: string
  readonly entry: string
  readonly count: string
  readonly lastTime: string | null
}

/** Creates the audit tables if they are missing, beside the tables of the adapter. */
export async function postgresAudit(pool: PostgresPool): Promise<AuditStore> {
  // If the tables exist, the right to create tables is not needed.
  const { rows } = await pool.query<{ found: boolean }>(
    `SELECT count(*) = 3 AS found FROM unnest(ARRAY['support_audit_others', 'support_audit_repeat_key', 'support_audit_writer']) AS name
     WHERE to_regclass(name) IS NOT NULL`,
  )
  if (rows[0]?.found !== true) await pool.query(SCHEMA)
  await pool.query(FORGET)

  const place = placeReader()
  const read = async (text: string, ...values: unknown[]): Promise<Place[]> => {
    const result = await pool.query<Row>(text, values)
    return result.rows.map(({ id, entry, ...repetition }) => place(String(id), entry, repetition))
  }

  const select = (needed: Needed, range: string) =>
    `SELECT ${COLUMNS} FROM support_audit WHERE ${needed === 'all' ? 'true' : OTHERS} AND ${range} LIMIT $2`

  return {
    async append({ writer, number, records }) {
      await pool.query(INSERT, [
        writer,
        number,
        records.map(({ entry }) => encodeEntry(entry)),
        records.map(({ repeatKey = null }) => repeatKey),
        records.map(({ count }) => count),
        records.map(({ lastTime }) => lastTime),
      ])
    },
    async before(cursor, limit, needed = 'all') {
      const id = cursor === undefined ? LARGEST.toString() : idOf(cursor)
      return read(select(needed, 'id < $1 ORDER BY id DESC'), id, limit)
    },
    async after(cursor, limit, needed = 'all') {
      const id = cursor === undefined ? '0' : idOf(cursor)
      return read(select(needed, 'id > $1 ORDER BY id'), id, limit)
    },
  }
}

function idOf(cursor: string): string {
  if (/^[1-9]\d{0,18}$/.test(cursor) && BigInt(cursor) <= LARGEST) return cursor
  throw malformedCursor()
}

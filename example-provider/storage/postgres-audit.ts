import type { Pool } from 'pg'
import { malformedCursor } from '../audit/cursor.ts'
import { type AuditStore, encodeEntry, type Place } from '../audit/entry.ts'
import { placeReader } from '../audit/reader.ts'

const LOCK = `pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('support_audit'))`
const LARGEST = 2n ** 63n - 1n

// Several copies may start at once, and CREATE TABLE IF NOT EXISTS alone would fail for one of
// them. Sent as one query string it is one transaction, which holds the lock to its end.
const SCHEMA = `
SELECT ${LOCK};
CREATE TABLE IF NOT EXISTS support_audit (
  id    bigserial PRIMARY KEY,
  entry text NOT NULL
);
`

/**
 * A sequence counts on before anybody commits: of two inserts at once the later id may be seen
 * first, and a reader that goes on from there would never see the other. Under the lock, which
 * lasts until the insert can be seen, the next id is not even taken.
 */
const INSERT = `
WITH turn AS MATERIALIZED (SELECT ${LOCK})
INSERT INTO support_audit (entry) SELECT $1 FROM turn`

/** A table beside the adapter's; made where it is missing. */
export async function postgresAudit(pool: Pool): Promise<AuditStore> {
  // Where it is there already, nobody needs the right to create it.
  const { rows } = await pool.query(`SELECT to_regclass('support_audit') AS found`)
  if (rows[0]?.found === null) await pool.query(SCHEMA)

  const place = placeReader()
  const read = async (text: string, ...values: unknown[]): Promise<Place[]> => {
    const result = await pool.query<{ id: string; entry: string }>(text, values)
    return result.rows.map(({ id, entry }) => place(String(id), entry))
  }

  return {
    async append(entry) {
      await pool.query(INSERT, [encodeEntry(entry)])
    },
    async before(cursor, limit) {
      const id = cursor === undefined ? LARGEST.toString() : idOf(cursor)
      return read(
        'SELECT id, entry FROM support_audit WHERE id < $1 ORDER BY id DESC LIMIT $2',
        id,
        limit,
      )
    },
    async after(cursor, limit) {
      const id = cursor === undefined ? '0' : idOf(cursor)
      return read(
        'SELECT id, entry FROM support_audit WHERE id > $1 ORDER BY id LIMIT $2',
        id,
        limit,
      )
    },
  }
}

function idOf(cursor: string): string {
  if (/^[1-9]\d{0,18}$/.test(cursor) && BigInt(cursor) <= LARGEST) return cursor
  throw malformedCursor()
}

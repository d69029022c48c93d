import type { DatabaseSync } from 'node:sqlite'
import type { Batch, Removal, Written } from '../../store.ts'
import { raw, sql } from '../sql/sql.ts'
import { numberIn, type ResultRow } from '../stored-columns.ts'
import { read } from './database.ts'

type Ask = (...query: Parameters<typeof sql>) => ResultRow[]

/** As `impersonation_audit_write` of PostgreSQL, in a transaction. */
export function writeTo(
  database: DatabaseSync,
  { entries, sums, slots }: Batch,
  deadline: number,
): Written {
  const ask: Ask = (...query) => read(database, sql(...query))
  const id = entries[0]?.digest.slice(44, 66) ?? ''
  const [stored] = ask`SELECT number FROM impersonation_audit_entry WHERE id = ${id}`
  if (stored) return { is: 'stored', number: numberIn(stored, 'number') }
  if (performance.now() > deadline) return { is: 'late' }
  const given = JSON.stringify(sums)
  const changed = ask`
SELECT 1 FROM json_each(${given}) AS new
LEFT JOIN impersonation_audit_impersonation AS impersonation ON impersonation.id = value ->> 'id'
LEFT JOIN impersonation_audit_record AS record ON record.id = value ->> 'id'
WHERE coalesce(impersonation.version, record.version, 0) <> value ->> 'replaces'
UNION ALL
SELECT 1 FROM json_each(${JSON.stringify(slots)}) AS wanted
WHERE value ->> 'version' <> coalesce((SELECT version FROM impersonation_audit_record WHERE slot = value ->> 'slot'
  ORDER BY first DESC LIMIT 1), 0)`
  if (changed.length > 0) return { is: 'changed' }
  const [next = {}] =
    ask`SELECT coalesce(max(number), 0) + 1 AS number FROM impersonation_audit_entry`
  const number = numberIn(next, 'number')
  ask`INSERT INTO impersonation_audit_entry (number, digest, text, mac)
SELECT ${number} + key, value ->> 'digest', value ->> 'text', value ->> 'mac' FROM json_each(${JSON.stringify(entries)})`
  ask`INSERT INTO impersonation_audit_impersonation (id, version, data)
SELECT value ->> 'id', ${number} + (value ->> 'at'), value ->> 'data' FROM json_each(${given})
WHERE value ->> 'kind' = 'impersonation'
ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data`
  ask`INSERT INTO impersonation_audit_record (id, version, first, data)
SELECT value ->> 'id', ${number} + (value ->> 'at'), ${number} + (value ->> 'from'), value ->> 'data' FROM json_each(${given})
WHERE value ->> 'kind' = 'record'
ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data`
  return { is: 'stored', number }
}

/** As `impersonation_audit_remove` of PostgreSQL, in a transaction. */
export function removeFrom(database: DatabaseSync, { sums, alone }: Removal): number {
  const ask: Ask = (...query) => read(database, sql(...query))
  const gone = sums.filter(({ id, version }) =>
    [raw('impersonation'), raw('record')].some(
      (kind) =>
        ask`DELETE FROM impersonation_audit_${kind} WHERE id = ${id} AND version = ${version} RETURNING id`
          .length > 0,
    ),
  )
  for (const { id } of gone)
    ask`UPDATE impersonation_audit_entry SET text = NULL WHERE subject = ${id}`
  for (const number of alone)
    ask`UPDATE impersonation_audit_entry SET text = NULL WHERE number = ${number}`
  return gone.length + alone.length
}

import type { DatabaseSync } from 'node:sqlite'
import type { Batch, Removal, Written } from '../../store.ts'
import { numberIn } from '../stored-columns.ts'
import { read } from './database.ts'

/** Sums. */
const CHANGED_SUMS = `SELECT 1 FROM json_each(?) AS new
LEFT JOIN impersonation_audit_impersonation AS impersonation ON impersonation.id = value ->> 'id'
LEFT JOIN impersonation_audit_record AS record ON record.id = value ->> 'id'
WHERE coalesce(impersonation.version, record.version, 0) <> value ->> 'replaces'`

/** Slots. */
const CHANGED_SLOTS = `SELECT 1 FROM json_each(?) AS wanted
WHERE value ->> 'version' <> coalesce((SELECT version FROM impersonation_audit_record WHERE slot = value ->> 'slot'
  ORDER BY first DESC LIMIT 1), 0)`

/** The number before the first one, entries. */
const WRITE_ENTRIES = `INSERT INTO impersonation_audit_entry (number, digest, text, mac)
SELECT 1 + ? + key, value ->> 'digest', value ->> 'text', value ->> 'mac' FROM json_each(?)`

/** Id, version, data, and of a permit the number of its first entry. */
const WRITE_SUM = {
  impersonation: `INSERT INTO impersonation_audit_impersonation (id, version, data) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data`,
  record: `INSERT INTO impersonation_audit_record (id, version, data, first) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data`,
}

/** As `impersonation_audit_write` of PostgreSQL, in a transaction. */
export function writeTo(database: DatabaseSync, batch: Batch, deadline: number): Written {
  const ask = (text: string, ...values: (string | number)[]) => read(database, { text, values })
  const { entries, sums, slots } = batch
  const id = entries[0]?.digest.slice(44, 66) ?? ''
  const [stored] = ask(`SELECT number FROM impersonation_audit_entry WHERE id = ?`, id)
  if (stored) return { is: 'stored', number: numberIn(stored, 'number') }
  if (performance.now() > deadline) return { is: 'late' }
  const looked = sums.map(({ id, replaces }) => ({ id, replaces }))
  const changed = [
    ...ask(CHANGED_SUMS, JSON.stringify(looked)),
    ...ask(CHANGED_SLOTS, JSON.stringify(slots)),
  ]
  if (changed.length > 0) return { is: 'changed' }
  const [newest = {}] = ask(
    `SELECT coalesce(max(number), 0) AS last FROM impersonation_audit_entry`,
  )
  const last = numberIn(newest, 'last')
  ask(WRITE_ENTRIES, last, JSON.stringify(entries))
  for (const { kind, id, from, at, data } of sums) {
    const first = kind === 'record' ? [last + 1 + from] : []
    ask(WRITE_SUM[kind], id, last + 1 + at, data, ...first)
  }
  return { is: 'stored', number: last + 1 }
}

/** As `impersonation_audit_remove` of PostgreSQL, in a transaction. */
export function removeFrom(database: DatabaseSync, { sums, alone }: Removal): number {
  const ask = (text: string, ...values: (string | number)[]) => read(database, { text, values })
  const gone = sums.filter(({ id, version }) =>
    ['impersonation', 'record'].some((kind) => {
      const text = `DELETE FROM impersonation_audit_${kind} WHERE id = ? AND version = ? RETURNING id`
      return ask(text, id, version).length > 0
    }),
  )
  for (const { id } of gone)
    ask(`UPDATE impersonation_audit_entry SET text = NULL WHERE subject = ?`, id)
  for (const number of alone)
    ask(`UPDATE impersonation_audit_entry SET text = NULL WHERE number = ?`, number)
  return gone.length + alone.length
}

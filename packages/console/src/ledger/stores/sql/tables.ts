import type { Column } from './dialect.ts'

export const ENTRY_TABLE = 'impersonation_audit_entry'
export const ROW_TABLE = 'impersonation_audit_row'
export const WRITER_TABLE = 'impersonation_audit_writer'
export const PERMIT_TABLE = 'impersonation_audit_permit'
/** Which entries were removed: runs of sequences. */
export const REMOVED_TABLE = 'impersonation_audit_removed'
export const CHECKPOINT_TABLE = 'impersonation_audit_checkpoint'
/** The number of the last migration. */
export const SCHEMA_TABLE = 'impersonation_audit_schema'

/** What a batch writes of an entry, beside the writer. */
export const ENTRY_COLUMNS = [
  ['sequence', 'bigint'],
  ['digest', 'text'],
  ['hash', 'text'],
  ['text', 'text'],
  ['row_id', 'text'],
  ['repeat_key', 'text'],
  ['time', 'bigint'],
  ['count', 'bigint'],
  ['last_time', 'bigint'],
] as const satisfies readonly Column[]

export const REMOVED_COLUMNS = [
  ['writer', 'text'],
  ['first_sequence', 'bigint'],
  ['last_sequence', 'bigint'],
] as const satisfies readonly Column[]

/** Of rows and permits: what is written. The database makes the other columns of `data`. */
export const DATA_COLUMNS = [
  ['id', 'text'],
  ['data', 'text'],
] as const satisfies readonly Column[]

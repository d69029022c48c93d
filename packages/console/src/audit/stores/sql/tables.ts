import { ROW_COLUMNS } from '../row-columns.ts'
import type { Column, SqlDialect, Steps } from './dialect.ts'

export const ENTRY_TABLE = 'impersonation_audit_entry'
export const ROW_TABLE = 'impersonation_audit_row'
/** The words by which a search finds rows: see `rowWordsOf`. */
export const WORD_TABLE = 'impersonation_audit_word'
export const WRITER_TABLE = 'impersonation_audit_writer'
export const PERMIT_TABLE = 'impersonation_audit_permit'
/** Which entries were removed: runs of sequences. */
export const REMOVED_TABLE = 'impersonation_audit_removed'
export const CHECKPOINT_TABLE = 'impersonation_audit_checkpoint'

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

export const WORD_COLUMNS = [
  ['word', 'text'],
  ['id', 'text'],
] as const satisfies readonly Column[]

/** A permit: itself as JSON (`data`), and what is searched. */
export const PERMIT_COLUMNS = [
  ['id', 'text'],
  ['at', 'bigint'],
  ['customer', 'text'],
  ['operator', 'text'],
  ['slot', 'text'],
  ['state', 'text'],
  // 1 or null
  ['review_due', 'bigint'],
  ['over_at', 'bigint'],
  ['notice_due_at', 'bigint'],
  ['data', 'text'],
] as const satisfies readonly Column[]

/** `text`, `row_id` and `repeat_key` are null where the entry was removed. */
const NEVER_NULL = ['sequence', 'digest', 'hash', 'time', 'count']

function tablesOf({ types, tableOptions }: SqlDialect): Readonly<Record<string, string>> {
  const columns = (all: readonly Column[], notNull: readonly string[] = []) =>
    all.map(([name, type]) => `${name} ${types[type]}${notNull.includes(name) ? ' NOT NULL' : ''}`)
  const table = (...definitions: string[]) => `(${definitions.join(', ')}) ${tableOptions}`
  const { id, text, bigint } = types
  return {
    [ENTRY_TABLE]: table(
      ...[`id ${id}`, `writer ${text} NOT NULL`],
      ...columns(ENTRY_COLUMNS, NEVER_NULL),
    ),
    [ROW_TABLE]: table(...columns(ROW_COLUMNS), 'PRIMARY KEY (id)'),
    [WORD_TABLE]: table(...columns(WORD_COLUMNS), 'PRIMARY KEY (word, id)'),
    [WRITER_TABLE]: table(
      ...[`writer ${text} PRIMARY KEY`, `batch ${bigint} NOT NULL`],
      ...[`sequence ${bigint}`, `hash ${text}`],
    ),
    [REMOVED_TABLE]: table(
      ...columns(REMOVED_COLUMNS, ['writer', 'first_sequence', 'last_sequence']),
      'PRIMARY KEY (writer, first_sequence)',
    ),
    // The place among the permits of a slot is the order in which they were stored.
    [PERMIT_TABLE]: table(
      ...columns(PERMIT_COLUMNS, ['at', 'state', 'data']),
      ...[`place ${bigint} NOT NULL`, 'PRIMARY KEY (id)'],
    ),
    [CHECKPOINT_TABLE]: table(`id ${id}`, `time ${bigint} NOT NULL`, `jws ${text} NOT NULL`),
  }
}

function indexesOf({ positionIndex }: SqlDialect): Readonly<Record<string, string>> {
  return {
    [`${ENTRY_TABLE}_repeat_key`]: `${ENTRY_TABLE} (repeat_key, id) WHERE repeat_key IS NOT NULL`,
    [`${ENTRY_TABLE}_row`]: `${ENTRY_TABLE} (row_id, id) WHERE row_id IS NOT NULL`,
    [`${ENTRY_TABLE}_alone`]: `${ENTRY_TABLE} (time) WHERE row_id IS NULL AND text IS NOT NULL AND sequence > 1`,
    [`${REMOVED_TABLE}_end`]: `${REMOVED_TABLE} (writer, last_sequence)`,
    [`${ROW_TABLE}_place`]: `${ROW_TABLE} (${positionIndex})`,
    [`${ROW_TABLE}_operator`]: `${ROW_TABLE} (operator, at, id) WHERE operator IS NOT NULL`,
    [`${ROW_TABLE}_customer`]: `${ROW_TABLE} (customer, at, id) WHERE customer IS NOT NULL`,
    [`${ROW_TABLE}_ticket`]: `${ROW_TABLE} (ticket, at, id) WHERE ticket IS NOT NULL`,
    [`${ROW_TABLE}_ended`]: `${ROW_TABLE} (end_cause, at, id) WHERE end_cause IS NOT NULL`,
    [`${ROW_TABLE}_started`]: `${ROW_TABLE} (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NOT NULL`,
    [`${ROW_TABLE}_not_started`]: `${ROW_TABLE} (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NULL`,
    [`${ROW_TABLE}_alarm`]: `${ROW_TABLE} (at, id) WHERE alarm_at IS NOT NULL`,
    [`${ROW_TABLE}_open_alarm`]: `${ROW_TABLE} (at, id) WHERE open_alarm_at IS NOT NULL`,
    [`${ROW_TABLE}_urgent_alarm`]: `${ROW_TABLE} (at, id) WHERE urgent_alarm_at IS NOT NULL`,
    [`${ROW_TABLE}_held`]: `${ROW_TABLE} (at, id) WHERE held_at IS NOT NULL`,
    [`${ROW_TABLE}_notice_due`]: `${ROW_TABLE} (at, id, notice_due_at) WHERE notice_due_at IS NOT NULL`,
    [`${ROW_TABLE}_last`]: `${ROW_TABLE} (last_at) WHERE held_at IS NULL`,
    [`${PERMIT_TABLE}_place`]: `${PERMIT_TABLE} (at, id)`,
    [`${PERMIT_TABLE}_customer`]: `${PERMIT_TABLE} (customer, at, id)`,
    [`${PERMIT_TABLE}_operator`]: `${PERMIT_TABLE} (operator, at, id) WHERE operator IS NOT NULL`,
    [`${PERMIT_TABLE}_state`]: `${PERMIT_TABLE} (state, at, id)`,
    [`${PERMIT_TABLE}_review`]: `${PERMIT_TABLE} (at, id) WHERE review_due IS NOT NULL`,
    [`${PERMIT_TABLE}_notice_due`]: `${PERMIT_TABLE} (at, id, notice_due_at) WHERE notice_due_at IS NOT NULL`,
    [`${PERMIT_TABLE}_slot`]: `${PERMIT_TABLE} (slot, place) WHERE slot IS NOT NULL`,
    [`${PERMIT_TABLE}_over`]: `${PERMIT_TABLE} (over_at) WHERE over_at IS NOT NULL`,
  }
}

/** Creates what is missing. Where all is there it only reads, so the right to create is not needed. */
export async function createTables(dialect: SqlDialect): Promise<void> {
  const link = `${ENTRY_TABLE}_link`
  const [tables, indexes] = [tablesOf(dialect), indexesOf(dialect)]
  const names = [link, ...Object.keys(tables), ...Object.keys(indexes)]
  const query = { text: dialect.existing, values: [JSON.stringify(names)] }
  if ((await dialect.read(query)).length === names.length) return

  const statements = [
    ...Object.entries(tables).map(([name, is]) => `CREATE TABLE IF NOT EXISTS ${name} ${is}`),
    `CREATE UNIQUE INDEX IF NOT EXISTS ${link} ON ${ENTRY_TABLE} (writer, sequence)`,
    ...Object.entries(indexes).map(([name, on]) => `CREATE INDEX IF NOT EXISTS ${name} ON ${on}`),
  ]
  await dialect.inTransaction('add', function* create(): Steps<void> {
    for (const text of statements) yield [{ text, values: [] }]
  })
}

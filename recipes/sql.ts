// What the recipes for PostgreSQL share, on these columns beside those of an id and a payload.

/** The columns of a record. `text` compares as the database does; ids are ordered by COLLATE "C". */
export const COLUMNS = {
  grantId: 'text',
  userCode: 'text',
  uid: 'text',
  expiresAt: 'timestamptz',
  consumedAt: 'timestamptz',
  accountId: 'text',
  clientId: 'text',
  actor: 'text',
  iat: 'bigint',
  statusList: 'text',
  statusIndex: 'integer',
  note: 'text',
  noteActor: 'text',
  ended: 'text',
} as const

/** The indexes: of each, the columns. */
export const INDEXES = [
  ['grantId'],
  ['userCode'],
  ['uid'],
  ['expiresAt'], // for the job that deletes what has expired
  ['accountId', 'iat'],
  ['actor', 'iat'],
  ['clientId', 'iat'],
  ['statusList'],
] as const

/** Newest first, in an order that no locale changes. */
export const NEWEST_FIRST = 'iat DESC, id COLLATE "C" DESC'
/** What comes after a position in that order. */
export const AFTER = '(iat, id COLLATE "C") < '

/**
 * What the columns have once a record is written over: what is live keeps its consumption, its note
 * and its end.
 *
 * @param stored how the statement names the table
 */
export function keptColumns(stored = 'stored') {
  const now = new Date().toISOString()
  const live = `${stored}."expiresAt" IS NULL OR ${stored}."expiresAt" > '${now}'`
  const kept = (column: string) => `CASE WHEN ${live} THEN ${stored}."${column}" END`
  return {
    consumedAt: `coalesce(${kept('consumedAt')}, excluded."consumedAt")`,
    note: kept('note'),
    noteActor: kept('noteActor'),
    actor: `coalesce(${kept('noteActor')}, excluded.actor)`,
    ended: kept('ended'),
  }
}

/** The statement of `upsert`; `$1`, `$2` and so on are the values of the record, in its order. */
export function upsertSql(table: string, record: object, key: readonly string[]): string {
  const columns = Object.keys(record)
  const written = columns.filter((column) => !key.includes(column))
  const replaced = {
    ...Object.fromEntries(written.map((column) => [column, `excluded."${column}"`])),
    ...keptColumns(),
  }
  return `INSERT INTO ${table} AS stored (${columns.map((column) => `"${column}"`)})
    VALUES (${columns.map((_, index) => `$${index + 1}`)})
    ON CONFLICT (${key}) DO UPDATE SET
      ${Object.entries(replaced).map(([column, value]) => `"${column}" = ${value}`)}`
}

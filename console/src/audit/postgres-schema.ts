import { inTransaction, type PostgresPool, rowsOfQuery } from './postgres-client.ts'
import { ROW_COLUMNS } from './row-columns.ts'

export const ENTRY = 'impersonation_audit_entry'
export const ROW = 'impersonation_audit_row'
export const WRITER = 'impersonation_audit_writer'
export const CHECKPOINT = 'impersonation_audit_checkpoint'

/**
 * Each transaction that writes has it. Ids come from a sequence, which counts before the commit: of
 * two parallel inserts, the later id could become visible first, and a reader that goes on from there
 * would never see the other one. The lock lasts until the entries are visible, and no other
 * transaction takes an id before. It also keeps a row as it was read until it is written.
 */
export const LOCK = `pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('${ENTRY}'))`

/** Names and definitions. Texts compare as bytes, in any locale. */
const INDEXES: Readonly<Record<string, string>> = {
  [`${ENTRY}_link`]: `UNIQUE ${ENTRY} (writer, sequence)`,
  [`${ENTRY}_repeat_key`]: `${ENTRY} (repeat_key, id) WHERE repeat_key IS NOT NULL`,
  [`${ENTRY}_row`]: `${ENTRY} (row_id, id) WHERE row_id IS NOT NULL`,
  [`${ENTRY}_alone`]: `${ENTRY} (time) WHERE row_id IS NULL AND text IS NOT NULL`,
  [`${ENTRY}_removed`]: `${ENTRY} (writer, sequence) WHERE text IS NULL`,
  [`${ROW}_place`]: `${ROW} (at, id)`,
  [`${ROW}_operator`]: `${ROW} (operator, at, id) WHERE operator IS NOT NULL`,
  [`${ROW}_customer`]: `${ROW} (customer, at, id) WHERE customer IS NOT NULL`,
  [`${ROW}_ticket`]: `${ROW} (ticket, at, id) WHERE ticket IS NOT NULL`,
  [`${ROW}_ended`]: `${ROW} (end_cause, at, id) WHERE end_cause IS NOT NULL`,
  [`${ROW}_started`]: `${ROW} (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NOT NULL`,
  [`${ROW}_not_started`]: `${ROW} (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NULL`,
  [`${ROW}_alarm`]: `${ROW} (at, id) WHERE alarm_at IS NOT NULL`,
  [`${ROW}_open_alarm`]: `${ROW} (at, id) WHERE open_alarm_at IS NOT NULL`,
  [`${ROW}_held`]: `${ROW} (at, id) WHERE held_at IS NOT NULL`,
  [`${ROW}_last`]: `${ROW} (last_at) WHERE held_at IS NULL`,
}

const SCHEMA = `
SELECT ${LOCK};
CREATE TABLE IF NOT EXISTS ${ENTRY} (
  id         bigserial PRIMARY KEY,
  writer     text COLLATE "C" NOT NULL,
  sequence   bigint NOT NULL,
  digest     text COLLATE "C" NOT NULL,
  hash       text COLLATE "C" NOT NULL,
  text       text COLLATE "C",
  row_id     text COLLATE "C",
  repeat_key text COLLATE "C",
  time       bigint NOT NULL,
  count      bigint NOT NULL,
  last_time  bigint
);
CREATE TABLE IF NOT EXISTS ${ROW} (
${ROW_COLUMNS.map(
  ([name, type]) => `  ${name} ${type === 'text' ? 'text COLLATE "C"' : type},\n`,
).join('')}
  PRIMARY KEY (id)
);
CREATE TABLE IF NOT EXISTS ${WRITER} (
  writer   text COLLATE "C" PRIMARY KEY,
  batch    bigint NOT NULL,
  sequence bigint,
  hash     text COLLATE "C"
);
CREATE TABLE IF NOT EXISTS ${CHECKPOINT} (
  id   bigserial PRIMARY KEY,
  time bigint NOT NULL,
  jws  text NOT NULL
);
${Object.entries(INDEXES)
  .map(([name, definition]) => {
    const [on, unique] = [definition.replace('UNIQUE ', ''), definition.startsWith('UNIQUE')]
    return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on};\n`
  })
  .join('')}`

const MISSING = `
SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL`

/**
 * Creates what is missing. Where all is there it only reads, so the right to create is not needed.
 *
 * @throws Error when the database stores texts in another encoding than UTF-8
 */
export async function createSchema(pool: PostgresPool): Promise<void> {
  const [encoding] = await rowsOfQuery(pool, 'SHOW server_encoding')
  if (encoding?.server_encoding !== 'UTF8') {
    throw new Error('createPostgresAudit: the encoding of the database must be UTF8')
  }
  const names = [ENTRY, ROW, WRITER, CHECKPOINT, ...Object.keys(INDEXES)]
  const missing = await rowsOfQuery(pool, MISSING, [names])
  if (missing.length === 0) return
  // CREATE TABLE IF NOT EXISTS alone fails in one of two processes that start at once.
  await inTransaction(pool, (session) => session.query({ text: SCHEMA }))
}

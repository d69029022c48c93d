import { setTimeout as wait } from 'node:timers/promises'
import { isRow, onOneConnection, type PostgresClient, send } from './postgres-client.ts'
import {
  type FoundSchema,
  isForeign,
  migrationSql,
  nextStep,
  type PostgresTable,
  schemaQuery,
  tableNames,
} from './postgres-schema.ts'

/** Options of {@link migrate}. */
export interface MigrateOptions extends PostgresTable {
  /**
   * How long it waits at most, in milliseconds: for another process that is migrating, for
   * transactions that keep the table from being changed. The time that an index takes to build
   * does not count.
   *
   * @defaultValue 60000
   */
  timeoutMs?: number
}

/**
 * The first wait for a lock in milliseconds. What queues behind it waits as long, so it is short,
 * and doubled each time up to the longest: a vacuum gives way after `deadlock_timeout`, a second.
 */
const FIRST_LOCK_WAIT = 50
const LONGEST_LOCK_WAIT = 1200
/** `query_timeout` of the pool is for requests, not for building an index. The most setTimeout takes. */
const NO_TIMEOUT = 2 ** 31 - 1
/** Milliseconds between two questions whether it is this process's turn. */
const POLL = 200

/**
 * Creates the table, its columns and its indices where they are missing. Several processes may call
 * it at the same moment; one works, the others wait. Where everything is there already it changes
 * nothing, locks nothing and needs no right to create anything, so it may run at every start.
 *
 * A table of the version before is changed while it is in use, also by that version, without
 * rewriting it: columns are added under a short `lock_timeout`, again and again until it succeeds,
 * and indices are built concurrently; one that an interrupted build left invalid is dropped and
 * built anew. This needs the table's owner, and one connection for all of it: a `Pool` or a
 * `Client` of pg, not behind a pooler that shares connections between transactions.
 *
 * @throws TypeError when an option is wrong, Error when the time is over, and the database's error
 * when it refuses. It can be called again in every case.
 */
export async function migrate(client: PostgresClient, options: MigrateOptions = {}): Promise<void> {
  const { timeoutMs = 60_000 } = options
  if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
    throw new TypeError('migrate: timeoutMs must be a number of milliseconds, 0 or more')
  }
  let found = await inspect(client, options)
  if (found.columns.size === 0) {
    await send(client, { text: migrationSql(options) })
    found = await inspect(client, options)
  }
  if (isForeign(found)) {
    throw new Error(
      `migrate: ${tableNames(options).table} is the table of another program: a column is missing. Name another table.`,
    )
  }
  if (!nextStep(options, found)) return
  const deadline = Date.now() + timeoutMs
  await onOneConnection(client, (session) => migrateInTurn(session, options, deadline))
}

async function inspect(client: PostgresClient, options: PostgresTable): Promise<FoundSchema> {
  const { rows } = await send(client, { text: schemaQuery, values: [tableNames(options).table] })
  const names = (kind: string) => rows.filter(isRow).filter((row) => row.kind === kind)
  return {
    columns: new Set(names('column').map(({ name }) => String(name))),
    indices: new Set(names('index').map(({ name }) => String(name))),
    invalid: new Map(names('invalid').map((row) => [String(row.name), String(row.qualified)])),
  }
}

/**
 * One process at a time. Each asks for the lock and never waits inside the database: a concurrent build
 * waits for every older statement, and so for the one that would wait for its lock.
 */
async function migrateInTurn(
  session: PostgresClient,
  options: MigrateOptions,
  deadline: number,
): Promise<void> {
  const key = `hashtext('oidc-provider-impersonation migrate'), hashtext('${tableNames(options).table}')`
  while (!(await answersTrue(session, `SELECT pg_try_advisory_lock(${key}) AS answer`))) {
    if (Date.now() >= deadline) throw outOfTime(options)
    await wait(POLL * (0.5 + Math.random()))
    if (!nextStep(options, await inspect(session, options))) return
  }
  const before = await setting(session, 'statement_timeout', '0')
  const lockTimeout = await setting(session, 'lock_timeout', '0')
  try {
    await takeSteps(session, options, deadline)
  } finally {
    // Where the connection is lost, so are the lock and the settings.
    const restore = async () => {
      await setting(session, 'lock_timeout', lockTimeout)
      await setting(session, 'statement_timeout', before)
      await send(session, { text: `SELECT pg_advisory_unlock(${key})` })
    }
    await restore().catch(() => {})
  }
}

async function takeSteps(
  session: PostgresClient,
  options: MigrateOptions,
  deadline: number,
): Promise<void> {
  let attempts = 0
  for (;;) {
    const step = nextStep(options, await inspect(session, options))
    if (!step) return
    const left = Math.max(deadline - Date.now(), 1)
    const patience = step.blocks
      ? Math.min(FIRST_LOCK_WAIT * 2 ** attempts, LONGEST_LOCK_WAIT, left)
      : left
    try {
      await setting(session, 'lock_timeout', String(Math.ceil(patience)))
      await send(session, { text: step.text, query_timeout: NO_TIMEOUT })
      attempts = 0
    } catch (error) {
      if (!mayPass(error)) throw error
      if (Date.now() >= deadline) throw outOfTime(options, error)
      attempts += 1
      // longer than the wait for the lock, so that what queued behind it gets on
      await wait(Math.min(patience, LONGEST_LOCK_WAIT) * (1 + Math.random()))
    }
  }
}

/** By SQLSTATE: a lock not to be had, a deadlock, and what another was creating or dropping. */
function mayPass(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['55P03', '40P01', '42P07', '23505', '42704'].includes(code)
}

function outOfTime(options: MigrateOptions, cause?: unknown): Error {
  const { table } = tableNames(options)
  const reason = cause instanceof Error ? cause.message : 'its lock is taken'
  return new Error(
    `migrate: ${table} is not migrated yet, and the time is over: another process or a long transaction is using it (${reason}). Call it again.`,
    { cause },
  )
}

/** Sets it for the session and resolves what it was. */
async function setting(session: PostgresClient, name: string, value: string): Promise<string> {
  const { rows } = await send(session, {
    text: 'SELECT current_setting($1) AS before, set_config($1, $2, false)',
    values: [name, value],
  })
  return String(rows.filter(isRow)[0]?.before)
}

async function answersTrue(session: PostgresClient, text: string): Promise<boolean> {
  const { rows } = await send(session, { text })
  return rows.filter(isRow)[0]?.answer === true
}

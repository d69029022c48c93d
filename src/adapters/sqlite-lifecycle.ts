import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndNote,
  LifecycleAdapter,
  ListedBefore,
  LookUp,
} from './contract.ts'
import { decodePayload, lifecycleKeys, storableKey } from './record.ts'
import {
  read,
  readFirst,
  SqliteAdapter,
  type SqliteStore,
  storable,
  write,
} from './sqlite-adapter.ts'
import type { SqliteTurn } from './sqlite-turn.ts'
import { storageError } from './storage-error.ts'

const MODEL = 'SubjectToken'

/** The column of each look-up, by how few records it leaves: the first one there picks the index. */
const COLUMNS = { accountId: 'account_id', actor: 'actor', clientId: 'client_id' } as const
const LOOK_UPS = ['accountId', 'actor', 'clientId'] as const

export type LifecycleStatements = ReturnType<typeof prepareLifecycle>

/**
 * The adapter of subject tokens: what they are listed by, their note and their end are in a table
 * of their own, written in one transaction with the record. Whether a record can be consumed is
 * decided by the record alone: one that ended first has 0 as the time of its consumption.
 */
export class SqliteLifecycleAdapter extends SqliteAdapter implements LifecycleAdapter {
  readonly #database: DatabaseSync
  readonly #statements: LifecycleStatements
  readonly #lists = new Map<string, StatementSync>()
  readonly #turn: SqliteTurn
  readonly #now: () => number
  readonly #sweep: () => void

  constructor(store: SqliteStore & { readonly lifecycle: LifecycleStatements }) {
    super(MODEL, store)
    this.#database = store.database
    this.#statements = store.lifecycle
    this.#turn = store.turn
    this.#now = store.now
    this.#sweep = store.sweep
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const record = this.encode(id, payload, expiresIn)
    const keys = lifecycleKeys(MODEL, payload)
    const listed = [
      record.key,
      storable(keys?.accountId),
      storable(keys?.clientId),
      storable(keys?.actor),
      keys?.iat ?? null,
      storable(keys?.statusList),
      keys?.statusIndex ?? null,
      record.expiresAt,
    ]
    return this.#turn.transaction(() => {
      this.#sweep()
      if (!this.insert(record)) {
        write(this.#statements.forgetExpired, [record.key, record.now])
        this.replace(record)
      }
      write(this.#statements.upsert, listed)
    })
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const key = storableKey(id)
    return this.#turn.read(() => {
      const row = readFirst(this.#statements.find, [key, this.#now()])
      return row && payloadOf(row)
    })
  }

  override async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    if (!note) return super.consumeOnce(id)
    const [key, text, actor] = [storableKey(id), JSON.stringify(note), storable(note.actor)]
    return this.#turn.transaction(() => {
      if (!this.markOnce(key)) return false
      write(this.#statements.keepNote, [key, text, actor])
      if (actor !== null) write(this.#statements.setActor, [key, actor])
      return true
    })
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const [key, text] = [storableKey(id), JSON.stringify(end)]
    return this.#turn.transaction(() => {
      const ended = write(this.#statements.end, [key, text, this.#now()]) === 1
      if (ended) write(this.#statements.forbidConsumption, [key])
      return ended
    })
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
    const values = names.map((name) => storable(lookUp[name]))
    const position = before ? [before.iat, storableKey(before.id)] : []
    const statement = this.#listStatement(names, before !== undefined)
    return read(statement, [this.#now(), limit, ...values, ...position]).map(payloadOf)
  }

  async endedIndices(list: string): Promise<number[]> {
    const rows = read(this.#statements.endedIndices, [storableKey(list), this.#now()])
    return rows.map((row) => Number(row.ended_index))
  }

  #listStatement(names: readonly (typeof LOOK_UPS)[number][], continued: boolean): StatementSync {
    const key = `${names.join()} ${continued}`
    let statement = this.#lists.get(key)
    if (!statement) {
      const [first] = names
      const index = first ? COLUMNS[first] : 'issued_at'
      const conditions = names.map((name, i) => ` AND listed.${COLUMNS[name]} = ?${i + 3}`)
      if (continued) {
        const at = names.length + 3
        conditions.push(` AND (listed.issued_at, listed.id) < (?${at}, ?${at + 1})`)
      }
      // INDEXED BY: without statistics SQLite may take another. CROSS JOIN: and another order.
      statement = prepare(
        this.#database,
        `SELECT payload, consumed_at, note, ended
         FROM oidc_subject_tokens AS listed INDEXED BY oidc_subject_tokens_${index}
         CROSS JOIN oidc_records AS record ON record.model = '${MODEL}' AND record.id = listed.id
         WHERE account_id IS NOT NULL AND (record.expires_at IS NULL OR record.expires_at > ?1)
         ${conditions.join('')}
         ORDER BY listed.issued_at DESC, listed.id DESC LIMIT ?2`,
      )
      this.#lists.set(key, statement)
    }
    return statement
  }
}

function payloadOf(row: Record<string, unknown>): AdapterPayload {
  const { payload, consumed_at, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed_at ?? 0), note, end: ended })
}

function prepare(database: DatabaseSync, text: string): StatementSync {
  try {
    return database.prepare(text)
  } catch (error) {
    throw storageError(error, [])
  }
}

/** Prepared once for the life of the database. */
export function prepareLifecycle(database: DatabaseSync) {
  const live = '(expires_at IS NULL OR expires_at > ?2)'
  return {
    // what an upsert finds expired starts anew
    forgetExpired: database.prepare(
      `DELETE FROM oidc_subject_tokens WHERE id = ?1 AND NOT EXISTS
       (SELECT 1 FROM oidc_records WHERE model = '${MODEL}' AND id = ?1 AND ${live})`,
    ),
    upsert: database.prepare(
      `INSERT INTO oidc_subject_tokens
         (id, account_id, client_id, actor, issued_at, status_list, status_index, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (id) DO UPDATE SET
         account_id = excluded.account_id, client_id = excluded.client_id,
         actor = coalesce(note_actor, excluded.actor), issued_at = excluded.issued_at,
         status_list = excluded.status_list, status_index = excluded.status_index,
         expires_at = excluded.expires_at,
         ended_index = CASE WHEN ended IS NOT NULL THEN excluded.status_index END`,
    ),
    find: database.prepare(
      `SELECT payload, consumed_at, note, ended
       FROM oidc_records AS record LEFT JOIN oidc_subject_tokens USING (id)
       WHERE record.model = '${MODEL}' AND record.id = ?1
         AND (record.expires_at IS NULL OR record.expires_at > ?2)`,
    ),
    // a record of the version before has no row here yet
    keepNote: database.prepare(
      `INSERT INTO oidc_subject_tokens (id, note, note_actor) VALUES (?1, ?2, ?3)
       ON CONFLICT (id) DO UPDATE SET note = excluded.note, note_actor = excluded.note_actor`,
    ),
    // a statement of its own: SQLite writes an index anew even where the value stays the same
    setActor: database.prepare(
      'UPDATE oidc_subject_tokens SET actor = ?2 WHERE id = ?1 AND actor IS NOT ?2',
    ),
    end: database.prepare(
      `INSERT INTO oidc_subject_tokens (id, ended)
       SELECT id, ?2 FROM oidc_records
       WHERE model = '${MODEL}' AND id = ?1 AND (expires_at IS NULL OR expires_at > ?3)
       ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, ended_index = status_index
       WHERE ended IS NULL`,
    ),
    forbidConsumption: database.prepare(
      `UPDATE oidc_records SET consumed_at = 0
       WHERE model = '${MODEL}' AND id = ?1 AND consumed_at IS NULL`,
    ),
    endedIndices: database.prepare(
      `SELECT DISTINCT ended_index
       FROM oidc_subject_tokens INDEXED BY oidc_subject_tokens_ended
       WHERE status_list = ?1 AND ended_index IS NOT NULL AND ${live}`,
    ),
  }
}

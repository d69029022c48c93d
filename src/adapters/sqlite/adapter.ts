import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndingAdapter, EndNote, ListedBefore, LookUp } from '../contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  epochSeconds,
  keyColumns,
  LOOK_UPS,
  lifetime,
  storable,
  storableKey,
} from '../record.ts'
import {
  prepareList,
  read,
  readFirst,
  type SqliteStatements,
  type SqliteValue,
  write,
} from './statements.ts'
import type { SqliteWriteQueue } from './write-queue.ts'

/** What all models of one file share. */
export interface SqliteStore {
  readonly database: DatabaseSync
  readonly statements: SqliteStatements
  /** Where every write and every find goes. */
  readonly writeQueue: SqliteWriteQueue
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Removes a few expired records now and then. */
  readonly sweep: () => void
}

// The methods are async so that what they throw before the turn becomes a rejection.
export class SqliteAdapter implements EndingAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #store: SqliteStore
  readonly #lists = new Map<string, StatementSync>()

  constructor(model: string, store: SqliteStore) {
    this.#model = model
    this.#store = store
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { statements, writeQueue, now, sweep } = this.#store
    // encoded now: the caller may change the payload before it is written
    const values = this.#encode(id, payload, expiresIn, now())
    return writeQueue.write(() => {
      sweep()
      write(statements.upsert, values)
    })
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#find('find', id)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#find('findByUid', uid)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#find('findByUserCode', userCode)
  }

  async consume(id: string): Promise<void> {
    await this.#mark('consume', id)
  }

  async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    const kept = [note ? JSON.stringify(note) : null, storable(note?.actor)]
    return (await this.#mark('consumeOnce', id, kept)) === 1
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const { statements, writeQueue, now } = this.#store
    const [key, text] = [storableKey(id), JSON.stringify(end)]
    return writeQueue.write(() => write(statements.endOnce, [this.#model, key, now(), text]) === 1)
  }

  async destroy(id: string): Promise<void> {
    await this.#delete('destroy', id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#delete('revokeByGrantId', grantId)
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
    const values = names.map((name) => storable(lookUp[name]))
    const position = before ? [before.iat, storableKey(before.id)] : []
    const kind = `${names.join()} ${before !== undefined}`
    const { database, now } = this.#store
    const statement = this.#lists.get(kind) ?? prepareList(database, names, before !== undefined)
    this.#lists.set(kind, statement)
    return read(statement, [now(), limit, ...values, ...position]).map(parseRow)
  }

  async endedIndices(list: string): Promise<number[]> {
    const { statements, now } = this.#store
    const rows = read(statements.endedIndices, [storableKey(list), now()])
    return rows.map((row) => Number(row.ended_index))
  }

  #encode(
    id: string,
    payload: AdapterPayload,
    expiresIn: number | undefined,
    now: number,
  ): SqliteValue[] {
    const { secondary, listed } = keyColumns(this.#model, payload)
    const milliseconds = lifetime(expiresIn)
    return [
      this.#model,
      storableKey(id),
      encodePayload(payload),
      ...secondary,
      Math.floor(consumedAt(payload, now)) || null,
      milliseconds === undefined ? null : Math.ceil(now + milliseconds),
      ...listed,
      now,
    ]
  }

  #find(
    statement: 'find' | 'findByUid' | 'findByUserCode',
    text: string,
  ): Promise<AdapterPayload | undefined> {
    const { statements, writeQueue, now } = this.#store
    const key = storableKey(text)
    return writeQueue.read(() => {
      const row = readFirst(statements[statement], [this.#model, key, now()])
      return row && parseRow(row)
    })
  }

  #mark(
    statement: 'consume' | 'consumeOnce',
    id: string,
    kept: SqliteValue[] = [],
  ): Promise<number> {
    const { statements, writeQueue, now } = this.#store
    const key = storableKey(id)
    return writeQueue.write(() => {
      const at = now()
      return write(statements[statement], [this.#model, key, at, epochSeconds(at), ...kept])
    })
  }

  #delete(statement: 'destroy' | 'revokeByGrantId', text: string): Promise<number> {
    const { statements, writeQueue } = this.#store
    const key = storableKey(text)
    return writeQueue.write(() => write(statements[statement], [this.#model, key]))
  }
}

function parseRow(row: Record<string, unknown>): AdapterPayload {
  const { payload, consumed_at, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed_at ?? 0), note, end: ended })
}

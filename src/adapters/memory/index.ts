import type { AdapterPayload } from 'oidc-provider'
import type {
  AdapterFactory,
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from '../contract.ts'
import { decodePayload, epochSeconds, LOOK_UPS } from '../record.ts'
import { createRecord, indexKey, indexKeys, type MemoryRecord } from './stored-record.ts'

/** Options of {@link createMemoryAdapter}. */
export interface MemoryAdapterOptions {
  /**
   * The clock, in milliseconds since the epoch.
   *
   * @defaultValue `Date.now`
   */
  now?: () => number
}

/** The factory that {@link createMemoryAdapter} returns. */
export interface MemoryAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /** Removes every expired record now, by a full scan. Resolves the number of records removed. */
  deleteExpired(): Promise<number>
}

/** How many records each write looks at; 4 keep expired records to a third of the live ones. */
const SWEEP_STEPS = 4

/**
 * An adapter that keeps everything in this process: for tests and first steps. Unlike
 * oidc-provider's own it has no limit to the number of records and evicts nothing before its time.
 *
 * Every call makes a store of its own; all models of one factory share it. Expired records are
 * removed when they are met and a few at every write: no timer.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createMemoryAdapter() })
 */
export function createMemoryAdapter(options: MemoryAdapterOptions = {}): MemoryAdapterFactory {
  const now = options.now ?? Date.now
  const adapters = new Map<string, MemoryAdapter>()

  const factory = (model: string): EndingAdapter => {
    const adapter = adapters.get(model) ?? new MemoryAdapter(model, now)
    adapters.set(model, adapter)
    return adapter
  }
  const deleteExpired = async () => {
    let deleted = 0
    for (const adapter of adapters.values()) deleted += adapter.deleteExpired()
    return deleted
  }
  return Object.assign(factory, { deleteExpired })
}

/** Each method is one synchronous step: no other call runs between its check and its write. */
class MemoryAdapter implements EndingAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #now: () => number
  readonly #records = new Map<string, MemoryRecord>()
  /** Ids by {@link indexKeys}. */
  readonly #index = new Map<string, Set<string>>()
  #sweep = this.#records.keys()

  constructor(model: string, now: () => number) {
    this.#model = model
    this.#now = now
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const replaced = this.#live(id)
    this.#put(createRecord(this.#model, id, payload, expiresIn, replaced, this.#now()))
    for (let step = 0; step < SWEEP_STEPS; step += 1) {
      const next = this.#sweep.next()
      if (next.done) this.#sweep = this.#records.keys()
      else this.#live(next.value)
    }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record = this.#live(id)
    return record && readPayload(record)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#lookUp(indexKey('uid', uid)).map(readPayload).at(-1)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#lookUp(indexKey('userCode', userCode)).map(readPayload).at(-1)
  }

  async consume(id: string): Promise<void> {
    const record = this.#live(id)
    if (record) this.#put({ ...record, consumed: epochSeconds(this.#now()) })
  }

  async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    const record = this.#live(id)
    if (!record || record.consumed > 0 || record.end !== undefined) return false
    const consumed = epochSeconds(this.#now())
    this.#put({ ...record, consumed, note: note && JSON.stringify(note), noteActor: note?.actor })
    return true
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const record = this.#live(id)
    if (!record || record.end !== undefined) return false
    this.#put({ ...record, end: JSON.stringify(end) })
    return true
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const keys = LOOK_UPS.flatMap((name) => {
      const value = lookUp[name]
      return value === undefined ? [] : [indexKey(name, value)]
    })
    const [first = indexKey('listed'), ...others] = keys
    return this.#lookUp(first, ...others)
      .map((record) => ({ record, id: record.id, iat: record.listed?.iat ?? 0 }))
      .filter((found) => before === undefined || compareNewestFirst(found, before) > 0)
      .sort(compareNewestFirst)
      .slice(0, limit)
      .map(({ record }) => readPayload(record))
  }

  async endedIndices(list: string): Promise<number[]> {
    const ended = this.#lookUp(indexKey('ended', list))
    return [...new Set(ended.flatMap(({ listed }) => listed?.statusIndex ?? []))]
  }

  async destroy(id: string): Promise<void> {
    this.#remove(id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const { id } of this.#lookUp(indexKey('grantId', grantId))) this.#remove(id)
  }

  deleteExpired(): number {
    const before = this.#records.size
    for (const id of this.#records.keys()) this.#live(id)
    return before - this.#records.size
  }

  /** The live record of this id; one that has expired is removed. */
  #live(id: string): MemoryRecord | undefined {
    const record = this.#records.get(id)
    if (!record || record.expiresAt > this.#now()) return record
    this.#remove(id)
    return undefined
  }

  /** The live records that are found by all of these keys. */
  #lookUp(first: string, ...others: string[]): MemoryRecord[] {
    return [...(this.#index.get(first) ?? [])].flatMap((id) => {
      const found = others.every((key) => this.#index.get(key)?.has(id))
      return (found && this.#live(id)) || []
    })
  }

  #put(record: MemoryRecord): void {
    this.#remove(record.id)
    this.#records.set(record.id, record)
    for (const key of indexKeys(record)) {
      const ids = this.#index.get(key) ?? new Set()
      this.#index.set(key, ids.add(record.id))
    }
  }

  #remove(id: string): void {
    const record = this.#records.get(id)
    if (!record) return
    this.#records.delete(id)
    for (const key of indexKeys(record)) {
      const ids = this.#index.get(key)
      ids?.delete(id)
      if (ids?.size === 0) this.#index.delete(key)
    }
  }
}

/** The payload as it is now: a copy for the caller. */
function readPayload(record: MemoryRecord): AdapterPayload {
  return decodePayload(record.payload, record)
}

function compareNewestFirst(a: ListedBefore, b: ListedBefore): number {
  if (a.iat !== b.iat) return b.iat - a.iat
  if (a.id === b.id) return 0
  return a.id < b.id ? 1 : -1
}

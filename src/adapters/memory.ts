import type { AdapterPayload } from 'oidc-provider'
import { turnOver } from '../shared/turn.ts'
import type {
  AdapterFactory,
  ConsumptionNote,
  EndNote,
  LifecycleAdapter,
  ListedBefore,
  LookUp,
} from './contract.ts'
import { MemoryListings } from './memory-listings.ts'
import { copyOf, type MemoryRecord, payloadOf } from './memory-record.ts'
import { consumedAt, epochSeconds, lifecycleKeys, lifetime, secondaryKeys } from './record.ts'

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
  (model: string): LifecycleAdapter
  /** Removes every expired record now, by a full scan. Resolves the number of records removed. */
  deleteExpired(): Promise<number>
}

/** How many records each write looks at; 4 keep expired records to a third of the live ones. */
const SWEEP_STEPS = 4

/**
 * An adapter that keeps everything in this process: for tests, demonstrations and benchmarks, and
 * for a deployment of one process that may forget everything at a restart. Unlike oidc-provider's
 * own it has no limit to the number of records and evicts nothing before its time.
 *
 * Every call makes a store of its own; all models of one factory share it. Expired records are
 * removed when they are met and a few at every write: no timer, no pause that grows with the store.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createMemoryAdapter() })
 */
export function createMemoryAdapter(options: MemoryAdapterOptions = {}): MemoryAdapterFactory {
  const now = options.now ?? Date.now
  const adapters = new Map<string, MemoryAdapter>()

  const factory = (model: string): LifecycleAdapter => {
    let adapter = adapters.get(model)
    if (!adapter) {
      adapter = new MemoryAdapter(model, now)
      adapters.set(model, adapter)
    }
    return adapter
  }
  const deleteExpired = async () => {
    let deleted = 0
    for (const adapter of adapters.values()) deleted += adapter.sweep(Number.POSITIVE_INFINITY)
    return deleted
  }
  return Object.assign(factory, { deleteExpired })
}

class MemoryAdapter implements LifecycleAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #now: () => number
  readonly #listings = new MemoryListings()
  readonly #records = new Map<string, MemoryRecord>()
  readonly #uids = new Map<string, string>()
  readonly #userCodes = new Map<string, string>()
  readonly #grants = new Map<string, Set<string>>()
  #cursor = this.#records.entries()

  constructor(model: string, now: () => number) {
    this.#model = model
    this.#now = now
  }

  // One synchronous step, as `consumeOnce` is: what was consumed before it stays so.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const now = this.#now()
    const replaced = this.#live(id)
    const milliseconds = lifetime(expiresIn)
    const { uid, userCode, grantId } = secondaryKeys(payload)
    const listed = lifecycleKeys(this.#model, payload)
    const record: MemoryRecord = {
      payload: copyOf(this.#model, payload),
      expiresAt: milliseconds === undefined ? Number.POSITIVE_INFINITY : now + milliseconds,
      uid,
      userCode,
      grantId,
      listed,
      consumed: replaced?.consumed || consumedAt(payload, now),
      note: replaced?.note,
      actor: replaced?.actor,
      end: replaced?.end,
    }

    this.#remove(id, replaced)
    this.#records.set(id, record)
    this.#listings.add(id, record)
    if (uid) this.#uids.set(uid, id)
    if (userCode) this.#userCodes.set(userCode, id)
    if (grantId) {
      const members = this.#grants.get(grantId)
      if (members) members.add(id)
      else this.#grants.set(grantId, new Set([id]))
    }
    this.sweep(SWEEP_STEPS)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record = this.#live(id)
    const found = record && payloadOf(record)
    // What is not listed is no subject token: status lists are read step by step.
    if (this.#model === 'SubjectToken' && (!record || record.listed)) await turnOver()
    return found
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const id = this.#uids.get(uid)
    return id === undefined ? undefined : this.find(id)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const id = this.#userCodes.get(userCode)
    return id === undefined ? undefined : this.find(id)
  }

  async consume(id: string): Promise<void> {
    const record = this.#live(id)
    if (record) record.consumed = epochSeconds(this.#now())
  }

  // One synchronous step: no other call runs between the check and the write.
  async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    const record = this.#live(id)
    if (!record || record.consumed > 0 || record.end !== undefined) return false
    record.consumed = epochSeconds(this.#now())
    if (note) {
      record.note = JSON.stringify(note)
      this.#listings.redeemed(id, record, note.actor)
      record.actor = note.actor
    }
    return true
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const record = this.#live(id)
    if (!record || record.end !== undefined) return false
    this.#listings.remove(id, record)
    record.end = JSON.stringify(end)
    this.#listings.add(id, record)
    return true
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const found: AdapterPayload[] = []
    for (const id of this.#listings.newestFirst(lookUp, before)) {
      if (found.length === limit) break
      const record = this.#live(id)
      if (record) found.push(payloadOf(record))
    }
    return found
  }

  async endedIndices(list: string): Promise<number[]> {
    return this.#listings.ended(list).flatMap(([index, id]) => (this.#live(id) ? [index] : []))
  }

  async destroy(id: string): Promise<void> {
    this.#remove(id, this.#records.get(id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const id of this.#grants.get(grantId) ?? []) this.#remove(id, this.#records.get(id))
  }

  /**
   * Looks at the next `steps` records, removes those that have expired, and resolves how many
   * they were. It goes on where it stopped last; more steps than records are one full round.
   */
  sweep(steps: number): number {
    const now = this.#now()
    let deleted = 0
    for (let left = Math.min(steps, this.#records.size); left > 0; left -= 1) {
      let next = this.#cursor.next()
      if (next.done) {
        this.#cursor = this.#records.entries()
        next = this.#cursor.next()
        if (next.done) break
      }
      const [id, record] = next.value
      if (record.expiresAt <= now) {
        this.#remove(id, record)
        deleted += 1
      }
    }
    return deleted
  }

  #live(id: string): MemoryRecord | undefined {
    const record = this.#records.get(id)
    if (record && record.expiresAt <= this.#now()) {
      this.#remove(id, record)
      return undefined
    }
    return record
  }

  #remove(id: string, record: MemoryRecord | undefined): void {
    if (!record) return
    this.#records.delete(id)
    this.#listings.remove(id, record)
    if (record.uid && this.#uids.get(record.uid) === id) this.#uids.delete(record.uid)
    if (record.userCode && this.#userCodes.get(record.userCode) === id) {
      this.#userCodes.delete(record.userCode)
    }
    if (record.grantId) {
      const members = this.#grants.get(record.grantId)
      members?.delete(id)
      if (members?.size === 0) this.#grants.delete(record.grantId)
    }
  }
}

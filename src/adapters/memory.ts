import type { AdapterPayload } from 'oidc-provider'
import { epochSeconds } from '../shared/time.ts'
import type { AdapterFactory, EndingAdapter, ListedBefore } from './contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  isReserved,
  type ListingKeys,
  LOOK_UPS,
  lifetime,
  listingKeys,
  type SecondaryKeys,
  secondaryKeys,
} from './record.ts'

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

/**
 * The number of records that each write checks. 4 keep expired records to a third of the live
 * ones.
 */
const SWEEP_STEPS = 4

/**
 * An adapter that stores everything in this process, for tests and first steps. Unlike
 * oidc-provider's own it has no limit to the number of records and evicts nothing before its time.
 *
 * Every call makes a store of its own. All models of one factory share it. Expired records are
 * removed when they are found and a few at every write, without a timer.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createMemoryAdapter() })
 */
export function createMemoryAdapter(options: MemoryAdapterOptions = {}): MemoryAdapterFactory {
  const now = options.now ?? Date.now
  const adapters = new Map<string, MemoryAdapter>()

  const factory = (model: string): EndingAdapter => {
    const adapter = adapters.get(model) ?? memoryAdapter(model, now)
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

interface MemoryAdapter extends EndingAdapter {
  deleteExpired(): number
}

/** Each method is one synchronous step, so no other call runs between its check and its write. */
function memoryAdapter(model: string, now: () => number): MemoryAdapter {
  const records = new Map<string, MemoryRecord>()
  /** Ids by {@link indexKeys}. */
  const index = new Map<string, Set<string>>()
  let sweep = records.keys()

  /** Returns the live record of this id, and removes an expired one. */
  function findLive(id: string): MemoryRecord | undefined {
    const record = records.get(id)
    if (!record || record.expiresAt > now()) return record
    remove(id)
    return undefined
  }

  /** Returns the live records that are found by all of these keys. */
  function findAll(first: string, ...others: string[]): MemoryRecord[] {
    return [...(index.get(first) ?? [])].flatMap((id) => {
      const found = others.every((key) => index.get(key)?.has(id))
      return (found && findLive(id)) || []
    })
  }

  function put(record: MemoryRecord): void {
    remove(record.id)
    records.set(record.id, record)
    for (const key of indexKeys(record)) {
      const ids = index.get(key) ?? new Set()
      index.set(key, ids.add(record.id))
    }
  }

  function remove(id: string): void {
    const record = records.get(id)
    if (!record) return
    records.delete(id)
    for (const key of indexKeys(record)) {
      const ids = index.get(key)
      ids?.delete(id)
      if (ids?.size === 0) index.delete(key)
    }
  }

  return {
    async upsert(id, payload, expiresIn) {
      // The consumption and the end of a live record stay.
      const replaced = findLive(id)
      put({
        id,
        payload: encodePayload(payload),
        expiresAt: now() + (lifetime(expiresIn) ?? Number.POSITIVE_INFINITY),
        ...secondaryKeys(payload),
        listed: listingKeys(model, payload),
        consumed: replaced?.consumed || consumedAt(payload, now()),
        note: replaced?.note,
        noteActor: replaced?.noteActor,
        end: replaced?.end,
      })
      for (let step = 0; step < SWEEP_STEPS; step += 1) {
        const next = sweep.next()
        if (next.done) sweep = records.keys()
        else findLive(next.value)
      }
    },

    async find(id) {
      const record = findLive(id)
      return record && readPayload(record)
    },

    findByUid: async (uid) => findAll(indexKey('uid', uid)).map(readPayload).at(-1),
    findByUserCode: async (userCode) =>
      findAll(indexKey('userCode', userCode)).map(readPayload).at(-1),
    async consume(id) {
      const record = findLive(id)
      if (record) put({ ...record, consumed: epochSeconds(now()) })
    },

    async consumeOnce(id, note) {
      const record = findLive(id)
      if (!record || record.consumed > 0 || record.end !== undefined) return false
      const consumed = epochSeconds(now())
      put({ ...record, consumed, note: note && JSON.stringify(note), noteActor: note?.actor })
      return true
    },

    async endOnce(id, end) {
      const record = findLive(id)
      if (!record || record.end !== undefined) return false
      put({ ...record, end: JSON.stringify(end) })
      return true
    },

    async list(lookUp, limit, before) {
      const keys = LOOK_UPS.flatMap((name) => {
        const value = lookUp[name]
        return value === undefined ? [] : [indexKey(name, value)]
      })
      const [first = indexKey('listed'), ...others] = keys
      return findAll(first, ...others)
        .map((record) => ({ record, id: record.id, iat: record.listed?.iat ?? 0 }))
        .filter((found) => before === undefined || compareNewestFirst(found, before) > 0)
        .sort(compareNewestFirst)
        .slice(0, limit)
        .map(({ record }) => readPayload(record))
    },

    async endedIndices(list) {
      const ended = findAll(indexKey('ended', list))
      return [...new Set(ended.flatMap(({ listed }) => listed?.statusIndex ?? []))]
    },

    async destroy(id) {
      remove(id)
    },

    async revokeByGrantId(grantId) {
      for (const { id } of findAll(indexKey('grantId', grantId))) remove(id)
    },

    deleteExpired() {
      const before = records.size
      for (const id of records.keys()) findLive(id)
      return before - records.size
    },
  }
}

/** Returns the current payload, a copy for the caller. */
function readPayload(record: MemoryRecord): AdapterPayload {
  return decodePayload(record.payload, record)
}

function compareNewestFirst(a: ListedBefore, b: ListedBefore): number {
  if (a.iat !== b.iat) return b.iat - a.iat
  if (a.id === b.id) return 0
  return a.id < b.id ? 1 : -1
}

/** A record of the memory adapter. It is replaced, never changed. */
interface MemoryRecord extends SecondaryKeys {
  readonly id: string
  /** JSON, so that code outside cannot change it. */
  readonly payload: string
  /** Milliseconds since the epoch, or Infinity. */
  readonly expiresAt: number
  readonly listed: ListingKeys | undefined
  /** Seconds since the epoch, or 0. */
  readonly consumed: number
  /** JSON, as `end` is. */
  readonly note: string | undefined
  /** `actor` of the note. */
  readonly noteActor: string | undefined
  readonly end: string | undefined
}

/** The members that records are looked up by, besides their id. */
const INDEX_NAMES = ['uid', 'userCode', 'grantId', 'accountId', 'actor', 'clientId'] as const

/** The key of an index: a name and its value. `listed` has none, `ended` that of a status list. */
function indexKey(name: (typeof INDEX_NAMES)[number] | 'listed' | 'ended', value = '') {
  return JSON.stringify([name, value])
}

/** The keys under which a record is found. */
function indexKeys({ listed, noteActor, end, ...record }: MemoryRecord): string[] {
  const values = { ...record, ...listed, actor: listed && (noteActor ?? listed.actor) }
  const keys = INDEX_NAMES.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [indexKey(name, value)]
  })
  if (listed && !isReserved(listed)) keys.push(indexKey('listed'))
  if (end !== undefined && listed?.statusList) keys.push(indexKey('ended', listed.statusList))
  return keys
}

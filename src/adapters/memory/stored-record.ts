import type { AdapterPayload } from 'oidc-provider'
import {
  consumedAt,
  encodePayload,
  type ListingKeys,
  lifetime,
  listingKeys,
  type SecondaryKeys,
  secondaryKeys,
} from '../record.ts'

/** A record of the memory adapter. It is replaced, never changed. */
export interface MemoryRecord extends SecondaryKeys {
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

/**
 * @param replaced the live record of this id: what was consumed or has ended stays so
 * @throws TypeError when `expiresIn` is neither a number nor absent
 */
export function createRecord(
  model: string,
  id: string,
  payload: AdapterPayload,
  expiresIn: number | undefined,
  replaced: MemoryRecord | undefined,
  now: number,
): MemoryRecord {
  return {
    id,
    payload: encodePayload(payload),
    expiresAt: now + (lifetime(expiresIn) ?? Number.POSITIVE_INFINITY),
    ...secondaryKeys(payload),
    listed: listingKeys(model, payload),
    consumed: replaced?.consumed || consumedAt(payload, now),
    note: replaced?.note,
    noteActor: replaced?.noteActor,
    end: replaced?.end,
  }
}

/** By what records are looked up, besides their id. */
const INDEX_NAMES = ['uid', 'userCode', 'grantId', 'accountId', 'actor', 'clientId'] as const

/** The key of an index: a name and its value. `listed` has none, `ended` that of a status list. */
export function indexKey(name: (typeof INDEX_NAMES)[number] | 'listed' | 'ended', value = '') {
  return JSON.stringify([name, value])
}

/** Under which keys a record is found. */
export function indexKeys({ listed, noteActor, end, ...record }: MemoryRecord): string[] {
  const values = { ...record, ...listed, actor: listed && (noteActor ?? listed.actor) }
  const keys = INDEX_NAMES.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [indexKey(name, value)]
  })
  if (listed) keys.push(indexKey('listed'))
  if (end !== undefined && listed?.statusList) keys.push(indexKey('ended', listed.statusList))
  return keys
}

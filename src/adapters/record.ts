import type { AdapterPayload } from 'oidc-provider'
import { MAX_ACCESS_TOKEN_TTL, MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { nonEmptyText } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'

/** The members of a payload that oidc-provider looks records up by, besides the id. */
export interface SecondaryKeys {
  readonly uid: string | undefined
  readonly userCode: string | undefined
  readonly grantId: string | undefined
}

/** The members of a subject token's payload for its lists and its status. */
export interface ListingKeys {
  readonly accountId: string
  readonly clientId: string | undefined
  /** The operator that it is bound to. */
  readonly actor: string | undefined
  /** Seconds since the epoch. */
  readonly iat: number
  readonly statusList: string | undefined
  readonly statusIndex: number | undefined
}

/**
 * Reads them from a payload; `undefined` for a record that is not listed, because it is of another
 * model, or has no account.
 */
export function listingKeys(model: string, payload: AdapterPayload): ListingKeys | undefined {
  const accountId = nonEmptyText(payload.accountId)
  if (model !== 'SubjectToken' || accountId === undefined) return undefined
  const { iat, statusIndex } = payload
  return {
    accountId,
    clientId: nonEmptyText(payload.clientId),
    actor: nonEmptyText(payload.actor),
    iat: integer(iat) ?? 0,
    statusList: nonEmptyText(payload.statusList),
    statusIndex: integer(statusIndex),
  }
}

/**
 * The start of the account ids of the plugin's own records. No user's id has it, because the API
 * takes no control characters.
 */
export const RESERVED_PREFIX = '\u0001'

/**
 * Checks whether the plugin keeps the record for itself. Its account id begins with U+0001, which
 * no user's does. It is listed by that account id alone.
 */
export function isReserved({ accountId }: { readonly accountId?: unknown }): boolean {
  return typeof accountId === 'string' && accountId.startsWith(RESERVED_PREFIX)
}

/** The members that records are listed by, the most selective first. */
export const LOOK_UPS = ['accountId', 'actor', 'clientId'] as const

/**
 * The longest life of a subject token, of an end or of a status list after its issue, in seconds.
 * The longest is that of a status list: an hour, and the life of the last token in it.
 */
export const MAX_RETENTION_SECONDS = MAX_ACCESS_TOKEN_TTL + 3 * MAX_SUBJECT_TOKEN_TTL

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/**
 * The longest time a record is kept, in milliseconds: a hundred years. An `exp` that a client
 * chose reaches `upsert` (ReplayDetection), and no storage engine takes 1e300 seconds.
 */
const MAX_LIFETIME_MS = 100 * 365 * 24 * 60 * 60 * 1000

/** Reads the secondary keys from a payload. Empty strings count as absent. */
export function secondaryKeys(payload: AdapterPayload): SecondaryKeys {
  return {
    uid: nonEmptyText(payload.uid),
    userCode: nonEmptyText(payload.userCode),
    grantId: nonEmptyText(payload.grantId),
  }
}

/**
 * Makes a key that a storage engine can hold. Ids come from requests. NUL characters, which
 * PostgreSQL refuses, and lone surrogates, which UTF-8 turns into one and the same character, are
 * escaped. No two strings give the same key, and nearly all stay as they are.
 */
export function storableKey(key: string): string {
  if (key.isWellFormed() && !key.includes('\\') && !key.includes('\0')) return key
  return JSON.stringify(key).slice(1, -1)
}

/**
 * Returns `expiresIn` in milliseconds, rounded up: `undefined` for a record that never expires, 0
 * for one that has expired already.
 *
 * @throws TypeError if `expiresIn` is neither a number nor absent
 */
export function lifetime(expiresIn: number | undefined): number | undefined {
  if (expiresIn === undefined) return undefined
  if (typeof expiresIn !== 'number' || Number.isNaN(expiresIn)) {
    throw new TypeError('expiresIn must be a number of seconds')
  }
  return Math.min(Math.max(Math.ceil(expiresIn * 1000), 0), MAX_LIFETIME_MS)
}

/**
 * The time of the consumption by the payload, in seconds since the epoch; 0 if it was not
 * consumed.
 */
export function consumedAt(payload: AdapterPayload, now: number): number {
  const consumed: unknown = payload.consumed
  if (!consumed) return 0
  return typeof consumed === 'number' && Number.isFinite(consumed) ? consumed : epochSeconds(now)
}

/**
 * Encodes a payload as text. JSON escapes NUL characters and lone surrogates, so the text is valid
 * UTF-8 without NUL for every payload, and it keeps an own `__proto__`.
 */
export function encodePayload(payload: AdapterPayload): string {
  return JSON.stringify(payload)
}

/** The changes of a record since it was stored, as the storage has them. */
export interface StoredFate {
  /** In seconds since the epoch; 0 or absent if it was not consumed. */
  readonly consumed?: number | undefined
  /** The note, as {@link encodePayload} wrote it; absent or `null` if there is none. */
  readonly note?: unknown
  /** The end, likewise. */
  readonly end?: unknown
}

/**
 * Decodes the payload from its stored text, and adds `consumed`, `note` and `end`.
 *
 * @throws if the storage returned a text that `encodePayload` did not write
 */
export function decodePayload(
  stored: unknown,
  { consumed, note, end }: StoredFate,
): AdapterPayload {
  const payload = parsed(stored)
  if (consumed !== undefined && consumed > 0) payload.consumed = consumed
  if (note !== undefined && note !== null) payload.note = parsed(note)
  if (end !== undefined && end !== null) payload.end = parsed(end)
  return payload
}

function parsed(stored: unknown): AdapterPayload {
  if (typeof stored !== 'string') throw new TypeError('the stored payload is not text')
  try {
    return JSON.parse(stored)
  } catch {
    // the message of a SyntaxError quotes its input
    throw new TypeError('the stored payload is not JSON')
  }
}

/** Options of an adapter's `deleteExpired`. */
export interface DeleteExpiredOptions {
  /**
   * The largest number of records that it removes in one transaction; an integer over 0.
   *
   * @defaultValue 1000
   */
  batchSize?: number
}

/**
 * Removes batch after batch, until one is not full. Resolves the number of records removed.
 *
 * @throws TypeError if the batch size is out of bounds
 */
export async function deleteInBatches(
  { batchSize = 1000 }: DeleteExpiredOptions = {},
  deleteBatch: (limit: number) => number | Promise<number>,
): Promise<number> {
  if (!Number.isSafeInteger(batchSize) || batchSize < 1) {
    throw new TypeError('batchSize must be an integer over 0')
  }
  for (let deleted = 0; ; ) {
    const count = await deleteBatch(batchSize)
    deleted += count
    if (count < batchSize) return deleted
    // lets the process do other work between two batches
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/**
 * The id of the record of a status list, in the model `SubjectToken`. No subject token has a colon
 * in its id. Redis Cluster keeps ids with the same text in braces in one slot, so that a list and
 * its counts are lost together.
 */
export function statusListId(list: string): string {
  return `status-list:{${list}}`
}

/** The id of the record of a count beside a status list. */
export function statusCountId(list: string, name: string): string {
  return `status-count:{${list}}:${name}`
}

import type { AdapterPayload } from 'oidc-provider'
import { MAX_ACCESS_TOKEN_TTL, MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { nonEmptyText } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'

/** The members of a payload by which oidc-provider looks records up, besides the id. */
export interface SecondaryKeys {
  readonly uid: string | undefined
  readonly userCode: string | undefined
  readonly grantId: string | undefined
}

/** The members of a subject token's payload by which it is listed and its status is found. */
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
 * Reads them from a payload; `undefined` for a record that is not listed: of another model, or
 * without an account.
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

/** How the account ids of the plugin's own records begin. No user's does: the API takes no control characters. */
export const RESERVED_PREFIX = '\u0001'

/**
 * Whether the plugin keeps the record for itself: its account id begins with U+0001, which no user's does. It is
 * listed by that account id alone.
 */
export function isReserved({ accountId }: { readonly accountId?: unknown }): boolean {
  return typeof accountId === 'string' && accountId.startsWith(RESERVED_PREFIX)
}

/** By what records are listed. By how few records they leave: the first that is asked for leads. */
export const LOOK_UPS = ['accountId', 'actor', 'clientId'] as const

/**
 * No record of a subject token, of an end or of a status list lives longer after its issue, in seconds. The
 * longest is that of a status list: an hour, and what the last token in it lives.
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
 * A key as a storage engine can hold it. Ids come from requests: NUL characters, which PostgreSQL
 * refuses, and lone surrogates, which UTF-8 turns into one and the same character, are escaped.
 * No two strings give the same key, and nearly all stay as they are.
 */
export function storableKey(key: string): string {
  if (key.isWellFormed() && !key.includes('\\') && !key.includes('\0')) return key
  return JSON.stringify(key).slice(1, -1)
}

/**
 * `expiresIn` in milliseconds, rounded up: `undefined` for a record that never expires, 0 for one
 * that has expired already.
 *
 * @throws TypeError when `expiresIn` is neither a number nor absent.
 */
export function lifetime(expiresIn: number | undefined): number | undefined {
  if (expiresIn === undefined) return undefined
  if (typeof expiresIn !== 'number' || Number.isNaN(expiresIn)) {
    throw new TypeError('expiresIn must be a number of seconds')
  }
  return Math.min(Math.max(Math.ceil(expiresIn * 1000), 0), MAX_LIFETIME_MS)
}

/** When the payload says it was consumed, in seconds since the epoch; 0 when it was not. */
export function consumedAt(payload: AdapterPayload, now: number): number {
  const consumed: unknown = payload.consumed
  if (!consumed) return 0
  return typeof consumed === 'number' && Number.isFinite(consumed) ? consumed : epochSeconds(now)
}

/**
 * The text a payload is stored as. JSON escapes NUL characters and lone surrogates, so the text
 * is valid UTF-8 without NUL whatever the payload holds, and it keeps an own `__proto__`.
 */
export function encodePayload(payload: AdapterPayload): string {
  return JSON.stringify(payload)
}

/** What has happened to a record since it was stored, as the storage has it. */
export interface StoredFate {
  /** Seconds since the epoch; 0 or absent when it was not consumed. */
  readonly consumed?: number | undefined
  /** The note, as {@link encodePayload} wrote it; absent or `null` where there is none. */
  readonly note?: unknown
  /** The end, likewise. */
  readonly end?: unknown
}

/**
 * The payload from its stored text, with `consumed`, `note` and `end` put in.
 *
 * @throws when the storage returned something that `encodePayload` did not write.
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
    // the message of a SyntaxError quotes what it could not read
    throw new TypeError('the stored payload is not JSON')
  }
}

/** How `deleteExpired` of an adapter goes about it. */
export interface DeleteExpiredOptions {
  /**
   * How many records it removes in one transaction at most; an integer over 0.
   *
   * @defaultValue 1000
   */
  batchSize?: number
}

/**
 * Removes batch after batch, until one is not full. Resolves how many records were removed.
 *
 * @throws TypeError when the batch size is out of bounds.
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
 * The id of the record of a status list, in the model `SubjectToken`. No subject token has a colon in its id.
 * Redis Cluster keeps ids with the same text in braces in one slot: a list and its counts are lost together.
 */
export function statusListId(list: string): string {
  return `status-list:{${list}}`
}

/** The id of the record of a count beside a status list. */
export function statusCountId(list: string, name: string): string {
  return `status-count:{${list}}:${name}`
}

import { createHash } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { LookUp } from 'oidc-provider-impersonation/adapters/contract'

/** An id comes from a request. If a store may not take it as a key, its hash is the key. */
export function keyOf(id: string): string {
  if (/^(?!__)[\w~-][\w~.:@-]{0,249}$/.test(id)) return id
  return `#${createHash('sha256').update(JSON.stringify(id)).digest('base64url')}`
}

/** When a record expires; null for never. A client may choose any number, so a century is the most. */
export function expiryOf(expiresIn: number | undefined): Date | null {
  if (expiresIn === undefined) return null
  return new Date(Date.now() + Math.min(Math.max(expiresIn, 0), 3_155_760_000) * 1000)
}

/** Columns that the list of subject tokens and the look-up of a status need. */
export interface Listing {
  accountId: string | null
  clientId: string | null
  actor: string | null
  iat: number | null
  statusList: string | null
  statusIndex: number | null
}

/** Columns of a record beside its payload. */
export interface StoredRecord extends Listing {
  grantId: string | null
  userCode: string | null
  uid: string | null
  expiresAt: Date | null
  consumedAt: Date | null
}

export function recordOf(
  model: string,
  payload: AdapterPayload,
  expiresIn: number | undefined,
): StoredRecord {
  return {
    grantId: memberKey(payload.grantId),
    userCode: memberKey(payload.userCode),
    uid: memberKey(payload.uid),
    expiresAt: expiryOf(expiresIn),
    consumedAt: payload.consumed ? new Date(payload.consumed * 1000) : null,
    ...listingOf(model, payload),
  }
}

/** Of other models nothing, and of a record without an account: it is not listed. */
export function listingOf(model: string, payload: AdapterPayload): Listing {
  const accountId = model === 'SubjectToken' ? memberKey(payload.accountId) : null
  if (accountId === null) return NOT_LISTED
  return {
    accountId,
    clientId: memberKey(payload.clientId),
    actor: memberKey(payload.actor),
    iat: integer(payload.iat) ?? 0,
    statusList: memberKey(payload.statusList),
    statusIndex: integer(payload.statusIndex),
  }
}

const NOT_LISTED: Listing = {
  accountId: null,
  clientId: null,
  actor: null,
  iat: null,
  statusList: null,
  statusIndex: null,
}

/** The same of a look-up. */
export function lookedUp(lookUp: LookUp): Partial<Record<keyof LookUp, string>> {
  const members = Object.entries(lookUp).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members.map(([name, value]) => [name, keyOf(value)]))
}

export function memberKey(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? keyOf(value) : null
}

function integer(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

/** Consumption, note and end of a record. Note and end are JSON, as text. */
export interface Fate {
  consumedAt: Date | null
  note?: string | null | undefined
  ended?: string | null | undefined
}

/** A payload as it was stored, with what has happened to the record. */
export function parsePayload(payload: AdapterPayload, fate: Fate): AdapterPayload {
  const { consumedAt, note, ended } = fate
  return {
    ...payload,
    ...(consumedAt && { consumed: Math.floor(consumedAt.getTime() / 1000) }),
    ...(note && { note: JSON.parse(note) }),
    ...(ended && { end: JSON.parse(ended) }),
  }
}

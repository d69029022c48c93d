import { createHash } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'

// #region recipe
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

/** What a record has beside its payload. */
export function recordOf(payload: AdapterPayload, expiresIn: number | undefined) {
  return {
    grantId: payload.grantId ? keyOf(payload.grantId) : null,
    userCode: payload.userCode ? keyOf(payload.userCode) : null,
    uid: payload.uid ? keyOf(payload.uid) : null,
    expiresAt: expiryOf(expiresIn),
    consumedAt: payload.consumed ? new Date(payload.consumed * 1000) : null,
  }
}

/** A payload as it was stored, with `consumed` as the record says it. */
export function payloadOf(payload: AdapterPayload, consumedAt: Date | null): AdapterPayload {
  if (!consumedAt) return payload
  return { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) }
}
// #endregion

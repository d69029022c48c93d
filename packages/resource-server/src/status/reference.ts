import { isPlainObject } from '../option-rules.ts'

/** Where the status of an access token is: draft-ietf-oauth-status-list-21 §6.2. */
export interface StatusReference {
  readonly idx: number
  readonly uri: string
}

/**
 * Reads a `status` claim.
 *
 * @returns `undefined` where it is malformed, or names no status list. Another mechanism cannot be
 * checked here, so it is no reason to let a token pass.
 */
export function statusReferenceFrom(status: unknown): StatusReference | undefined {
  const list: unknown = isPlainObject(status) ? status.status_list : undefined
  const { idx, uri }: Record<string, unknown> = isPlainObject(list) ? list : {}
  // "The idx (index) claim MUST specify a non-negative Integer".
  if (typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0) return undefined
  return typeof uri === 'string' ? { idx, uri } : undefined
}

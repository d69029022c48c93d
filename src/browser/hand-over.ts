import { isSubjectToken, type Link } from './link.ts'

/** What waits in this tab while the provider is asked who the operator is. */
export interface HandOver extends Link {
  readonly state: string
  readonly nonce: string
  /** RFC 7636. */
  readonly verifier: string
  /** The page that was opened, without the link. */
  readonly url: string
}

const KEY = 'oidc-provider-impersonation'

/** Tells answers to this module from those to a sign-in of the application itself. */
export const STATE_PREFIX = 'impersonation.'

/** Without `await`, so that the subject token is never out of both the address and the storage. */
export function newHandOver(link: Link, url: string): HandOver {
  return {
    ...link,
    state: STATE_PREFIX + randomValue(),
    nonce: randomValue(),
    verifier: randomValue(),
    url,
  }
}

/** @throws DOMException where the browser blocks the storage */
export function storeHandOver(handOver: HandOver): void {
  sessionStorage.setItem(KEY, JSON.stringify(handOver))
}

/** Removes it from the storage. */
export function takeHandOver(): HandOver | undefined {
  try {
    const stored = sessionStorage.getItem(KEY)
    if (stored === null) return undefined
    sessionStorage.removeItem(KEY)
    const value: unknown = JSON.parse(stored)
    return isHandOver(value) ? value : undefined
  } catch {
    // A page whose storage is blocked has none.
    return undefined
  }
}

function isHandOver(value: unknown): value is HandOver {
  if (typeof value !== 'object' || value === null) return false
  const { subjectToken, state, nonce, verifier, url } = value as Record<string, unknown>
  return isSubjectToken(subjectToken) && [state, nonce, verifier, url].every(isText)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** 256 bits, base64url: as a verifier 43 characters, the least that RFC 7636 §4.1 allows. */
function randomValue(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

import { LEFT_KEY } from './left-key.ts'
import { isSubjectToken, type Link } from './link.ts'
import { quietly } from './quietly.ts'

/** What waits in this tab while the provider is asked who the operator is. */
export interface HandOver extends Link {
  readonly state: string
  readonly nonce: string
  /** RFC 7636. */
  readonly verifier: string
  /** The page that was opened, without the link. */
  readonly url: string
}

const STORAGE_KEY = 'oidc-provider-impersonation'

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
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(handOver))
}

/** Removes it from the storage. */
export function takeHandOver(): HandOver | undefined {
  // A page whose storage is blocked has none.
  return quietly(() => {
    const stored = sessionStorage.getItem(STORAGE_KEY)
    sessionStorage.removeItem(STORAGE_KEY)
    const value: unknown = JSON.parse(stored ?? 'null')
    return isHandOver(value) ? value : undefined
  })
}

/** Whether an impersonation ended in this tab. */
export function hasLeft(): boolean {
  return !!quietly(() => sessionStorage[LEFT_KEY])
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

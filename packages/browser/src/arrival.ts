import { isSubjectToken, LINK_NAMES, type Link, parseLink, takeParts } from './link.ts'
import type { SignInSecrets } from './provider.ts'
import { LEFT_KEY, quietly } from './quietly.ts'
import { randomValue } from './random-value.ts'

/** The arrival of an impersonation at a page, by a link or with the provider's response. */
export type Arrival =
  | { readonly kind: 'link'; readonly link: Link | undefined }
  | {
      readonly kind: 'answer'
      readonly answer: URLSearchParams
      readonly handOver: HandOver | undefined
    }
  /** The page was left during the redirect, and opened again without a response. */
  | { readonly kind: 'interrupted' }
  /** An impersonation ended in this tab, perhaps by leaving its page. */
  | { readonly kind: 'left' }

/**
 * The parameters of an authorization response: RFC 6749 §4.1.2, RFC 9207, OpenID Connect. They
 * come in the fragment, so that no server logs the code.
 */
const ANSWER_NAMES = [
  'code',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'session_state',
  'state',
]

/**
 * Takes the arrival out of the address, the history and the storage, without `await`. No other
 * script of the page that runs later finds it there.
 *
 * @param isFirst - `true` on the first call of this page, which does not take its own stored data
 */
export function takeArrival(isFirst: boolean): Arrival | undefined {
  const clean = new URL(location.href)
  const fragment = clean.hash.slice(1)
  const link = takeParts(fragment, LINK_NAMES)
  const answer = new URLSearchParams(fragment)
  const isAnswer = answer.get('state')?.startsWith(STATE_PREFIX) === true
  if (link.taken.length > 0) clean.hash = link.rest
  if (isAnswer) clean.hash = takeParts(clean.hash.slice(1), ANSWER_NAMES).rest
  if (clean.href !== location.href) show(clean.href)

  if (link.taken.length > 0) {
    takeHandOver()
    return { kind: 'link', link: parseLink(link) }
  }
  if (isAnswer) return answerTo(takeHandOver(), answer)
  if (!isFirst) return undefined
  if (takeHandOver()) return { kind: 'interrupted' }
  return quietly(() => sessionStorage[LEFT_KEY]) ? { kind: 'left' } : undefined
}

function answerTo(handOver: HandOver | undefined, answer: URLSearchParams): Arrival {
  if (handOver?.state !== answer.get('state')) {
    return { kind: 'answer', answer, handOver: undefined }
  }
  show(handOver.url)
  return { kind: 'answer', answer, handOver }
}

/** Routers keep data of their own in `history.state`. */
function show(url: string): void {
  if (new URL(url).origin === location.origin) history.replaceState(history.state, '', url)
}

/** Data that waits in this tab while the provider identifies the operator. */
export interface HandOver extends Link, SignInSecrets {
  /** The page that was opened, without the link. */
  readonly url: string
}

const STORAGE_KEY = 'oidc-provider-impersonation'

/** Distinguishes responses to this module from those to a sign-in of the application itself. */
const STATE_PREFIX = 'impersonation.'

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

/** @throws DOMException if the browser blocks the storage */
export function storeHandOver(handOver: HandOver): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(handOver))
}

/** Removes it from the storage. */
export function takeHandOver(): HandOver | undefined {
  // A page with blocked storage has none.
  return quietly(() => {
    const stored = sessionStorage.getItem(STORAGE_KEY)
    sessionStorage.removeItem(STORAGE_KEY)
    const value: unknown = JSON.parse(stored ?? 'null')
    return isHandOver(value) ? value : undefined
  })
}

function isHandOver(value: unknown): value is HandOver {
  if (typeof value !== 'object' || value === null) return false
  const { subjectToken, state, nonce, verifier, url } = value as Record<string, unknown>
  return isSubjectToken(subjectToken) && [state, nonce, verifier, url].every(isText)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

import type { CheckedOptions } from './accept-options.ts'
import { ImpersonationError, type LeftValues } from './errors.ts'
import { LEFT_KEY, quietly } from './quietly.ts'
import { type Credential, FETCH_OPTIONS, headersFor } from './token-request.ts'

/**
 * The interval at which the proof is renewed, in milliseconds. Providers accept a proof for some
 * minutes.
 */
const RENEW_MS = 120_000

/**
 * Ends the impersonation when the page is left, except if the browser keeps the page to come back
 * to. The proof is made in advance, because a page that closes has no time to sign.
 *
 * @param left - called when the page is left so
 * @param signal - stops it
 */
export function endOnLeave(
  credential: Credential,
  endEndpoint: URL | undefined,
  fetch: typeof globalThis.fetch,
  left: () => void,
  signal: AbortSignal,
): void {
  if (!endEndpoint) return
  let headers: Readonly<Record<string, string>> | undefined
  const renew = () => {
    headersFor('POST', endEndpoint, credential).then(
      (made) => {
        headers = made
      },
      () => {},
    )
  }
  renew()
  const timer = credential.key ? setInterval(renew, RENEW_MS) : undefined

  const leave = ({ persisted }: PageTransitionEvent) => {
    if (persisted || !headers) return
    fetch(endEndpoint, {
      ...FETCH_OPTIONS,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"reason":"left"}',
      keepalive: true,
    }).catch(() => {})
    headers = undefined
    left()
  }
  addEventListener('pagehide', leave, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

const KEPT_MS = 600_000

/** Data in the storage of the tab after an end of the operator's own. It has no token. */
interface Left {
  readonly id: string
  /** The page that was shown, without the fragment. */
  readonly url: string
  /** Milliseconds since the epoch. */
  readonly untilMs: number
  readonly userId: string
  readonly actor: string
  readonly name: string
  readonly ticket: unknown
  /**
   * `true` if a page has to show that it ended by leaving; `false` if the page itself has shown
   * it.
   */
  readonly isToSay: boolean
}

/** Stores the data for {@link goBack} and {@link sayLeft}. */
export function keepLeft(left: Omit<Left, 'untilMs' | 'url'>): void {
  const [url] = location.href.split('#')
  write({ ...left, url, untilMs: Date.now() + KEPT_MS })
}

/** Shows the last page of the same operator and the same user in this tab again. */
export function goBack(userId: string | undefined, actor: string): void {
  const left = read()
  sessionStorage.removeItem(LEFT_KEY)
  if (left?.userId !== userId || left?.actor !== actor) return
  // No browser shows an address of another origin this way.
  quietly(() => history.replaceState(history.state, '', left.url))
  // Routers do not see that the address has changed.
  dispatchEvent(new PopStateEvent('popstate', history))
}

/**
 * Shows once, and after each reload, that leaving the page ended it.
 *
 * @throws ImpersonationError `left`
 */
export function sayLeft({ console, texts }: CheckedOptions): undefined {
  const left = read()
  if (!left?.isToSay) return
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isReload = entry?.type === 'reload'
  // The operator may go on in person.
  write({ ...left, isToSay: isReload })
  const { id, name: userName, ticket } = left
  throw new ImpersonationError('left', {
    message: (texts?.left ?? inEnglish)({
      userName,
      ticket: ticket && String(ticket),
      isReload,
    } as LeftValues),
    continueUrl: `${console}/continue/${encodeURIComponent(id)}`,
  })
}

function inEnglish({ userName, ticket, isReload }: LeftValues): string {
  const purpose = ticket ? ` for ${ticket}` : ''
  return `You acted as ${userName}${purpose}. ${isReload ? 'The reload' : 'Leaving the page'} ended it.`
}

/** A page with blocked storage has none. */
function read(): Left | undefined {
  const left = quietly<Left>(() => JSON.parse(sessionStorage[LEFT_KEY]))
  return left && left.untilMs > Date.now() ? left : undefined
}

function write(left: object): void {
  quietly(() => sessionStorage.setItem(LEFT_KEY, JSON.stringify(left)))
}

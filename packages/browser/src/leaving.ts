import type { CheckedOptions } from './accept-options.ts'
import { ImpersonationError, type LeftValues } from './errors.ts'
import { LEFT_KEY, quietly } from './quietly.ts'
import { type Credential, FETCH_OPTIONS, headersFor } from './token-request.ts'

/** How often the proof is renewed, in milliseconds. Providers take one for some minutes. */
const RENEW_MS = 120_000

/**
 * Ends the impersonation when the page is left, except where the browser keeps the page to come
 * back to. The proof is made in advance: a page that closes has no time to sign.
 *
 * @param left is called when the page is left so
 * @param signal stops it
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

/** What stays in the storage of the tab after an end of the operator's own. No token is in it. */
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
  /** Whether a page has to say that it ended by leaving: not where the page itself said so. */
  readonly isToSay: boolean
}

/** Keeps what {@link goBack} and {@link sayLeft} need. */
export function keepLeft(left: Omit<Left, 'untilMs' | 'url'>): void {
  const [url] = location.href.split('#')
  write({ ...left, url, untilMs: Date.now() + KEPT_MS })
}

/** Shows the page again at which the same operator stopped to act as the same user in this tab. */
export function goBack(userId: string | undefined, actor: string): void {
  const left = read()
  sessionStorage.removeItem(LEFT_KEY)
  if (left?.userId !== userId || left?.actor !== actor) return
  // No browser shows an address of another origin so.
  quietly(() => history.replaceState(history.state, '', left.url))
  // Routers do not see that the address has changed.
  dispatchEvent(new PopStateEvent('popstate', history))
}

/**
 * Says once, and after each reload, that leaving the page ended it.
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

/** A page whose storage is blocked has none. */
function read(): Left | undefined {
  const left = quietly<Left>(() => JSON.parse(sessionStorage[LEFT_KEY]))
  return left && left.untilMs > Date.now() ? left : undefined
}

function write(left: object): void {
  quietly(() => sessionStorage.setItem(LEFT_KEY, JSON.stringify(left)))
}

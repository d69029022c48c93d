import type { CheckedOptions } from './accept-options.ts'
import { parseClaims } from './claims.ts'
import { coverPage } from './cover.ts'
import { ImpersonationError } from './errors.ts'
import { endOnLeave, goBack, keepLeft } from './leaving.ts'
import { whenPoked } from './only-tab.ts'
import type { Granted, ImpersonationProvider } from './provider.ts'
import { quietly } from './quietly.ts'
import { isTokenRefused } from './refused-token.ts'
import type { ImpersonationSession } from './session.ts'
import type { SessionEnd } from './texts.ts'
import { type Credential, sendWithToken } from './token-request.ts'
import { statusReference, watchForEnd } from './watching.ts'

const TICK_MS = 1000
const LAST_MINUTE_MS = 60_000

export interface Acting {
  readonly granted: Granted
  /** The operator. The operator's own token is no longer needed. */
  readonly actor: { readonly sub: string }
  readonly provider: ImpersonationProvider
  /** Releases other tabs, so that they can act. */
  readonly release: () => void
  /** The milliseconds since the moment before the token was requested. */
  readonly passed: () => number
}

/**
 * Makes a frozen object without private fields, so that frameworks that wrap objects in proxies
 * leave it as it is.
 */
export function startSession(
  { granted, actor, provider, release, passed }: Acting,
  { origins, fetch, texts, cover, ...options }: CheckedOptions,
): ImpersonationSession {
  const lifetime = granted.expiresIn * 1000
  const expiresAtMs = Date.now() - passed() + lifetime
  const context = parseClaims(granted.accessToken)
  const userId = typeof context.sub === 'string' ? context.sub : undefined
  const events = new EventTarget()
  let state: ImpersonationSession['state'] = 'active'
  let ending: SessionEnd | undefined
  let isExpiring = false
  let isToBeReviewed = false
  let credential: Credential | undefined = { token: granted.accessToken, key: provider.key }
  const over = new AbortController()
  const { signal } = over
  if (options.endOnLeave) {
    endOnLeave(credential, provider.endEndpoint, fetch, () => keep(true), signal)
  }
  const askProvider = watchForEnd({
    credential,
    currentEndpoint: provider.currentEndpoint,
    status: statusReference(context, options.issuer),
    fetch,
    signal,
    toBeReviewed: () => {
      isToBeReviewed = true
    },
    ended: (how) => finish('ended', how),
  })
  void askProvider()
  whenPoked(askProvider, signal)

  const timer = setInterval(look, TICK_MS)
  document.addEventListener('visibilitychange', look, { signal })
  addEventListener('pageshow', look, { signal })
  // After the page that waits for the session has added its listeners.
  setTimeout(look)

  function readName(): string | undefined {
    return quietly(() => options.userName?.()) || userId
  }

  /** Stores data for the next page in this tab. */
  function keep(isToSay: boolean): void {
    const [, id] = /^impersonation:(.+)/.exec(String(context.jti)) ?? []
    if (!id || !userId) return
    const { ticket_id: ticket } = Object(context.impersonation_context)
    keepLeft({ id, userId, actor: actor.sub, name: readName() ?? userId, ticket, isToSay })
  }

  /** Checks the time. Timers run late in a page in the background, and after the machine slept. */
  function look(): void {
    if (state !== 'active') return
    const left = lifetime - passed()
    if (left <= 0) {
      finish('expired')
    } else if (left <= LAST_MINUTE_MS && !isExpiring) {
      isExpiring = true
      queueMicrotask(() => events.dispatchEvent(new Event('expiring')))
    }
  }

  function finish(reason: 'ended' | 'expired', how?: SessionEnd): void {
    if (state !== 'active') return
    state = reason
    ending = how
    credential = undefined
    clearInterval(timer)
    over.abort()
    release()
    if (reason === 'expired' || how?.by === 'operator') keep(false)
    // Not while a property is read.
    queueMicrotask(() => {
      const drafts = quietly(() => options.drafts?.()) ?? ''
      const name = readName()
      events.dispatchEvent(new Event(reason))
      if (cover === false) return
      coverPage({ state: reason, ending: how, userName: name, drafts, texts: Object(cover) })
    })
  }

  function current(): Credential {
    look()
    if (credential) return credential
    throw new ImpersonationError(state === 'ended' ? 'ended' : 'expired', { texts })
  }

  async function authorizedFetch(input: string | URL | Request, init?: RequestInit) {
    const request = new Request(input, init)
    const { origin } = new URL(request.url)
    if (!origins.includes(origin)) {
      throw new TypeError(`the token is not for ${origin}: allow it by the option origins`)
    }
    const used = current()
    const response = await sendWithToken(request, used, fetch)
    if (isTokenRefused(response, true) && used === credential) {
      await askProvider()
      if (used !== credential) return response
      // The provider gets the end, too, in case the API is wrong.
      void requestEnd(used).catch(() => {})
      finish('ended')
    }
    return response
  }

  /** @returns whether this has ended it; `false` if it had ended already */
  async function requestEnd(used: Credential): Promise<boolean> {
    const { endEndpoint } = provider
    if (!endEndpoint) return true
    const request = new Request(endEndpoint, { method: 'POST', keepalive: true })
    const response = await sendWithToken(request, used, fetch)
    // A refused token has ended already. A refused proof ends nothing.
    if (!response.ok && !isTokenRefused(response, true)) {
      throw new Error(`the provider answers ${response.status}`)
    }
    return response.ok
  }

  let requested: Promise<boolean> | undefined
  async function end(): Promise<void> {
    look()
    if (!credential) return
    requested ??= requestEnd(credential)
      .catch((cause: unknown) => {
        throw new ImpersonationError('unreachable', { texts, cause })
      })
      .finally(() => {
        requested = undefined
      })
    if (await requested) finish('ended', { by: 'operator', cause: 'requested' })
    else await askProvider()
    finish('ended')
  }

  goBack(userId, actor.sub)
  return Object.freeze<ImpersonationSession>({
    get accessToken() {
      look()
      return credential?.token ?? ''
    },
    tokenType: granted.tokenType,
    userId,
    actor,
    scope: Object.freeze(granted.scope),
    expiresAtMs,
    context,
    get state() {
      look()
      return state
    },
    get ending() {
      return ending
    },
    get isToBeReviewed() {
      return isToBeReviewed
    },
    fetch: authorizedFetch,
    end,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  })
}

// Code that only a page with an impersonation loads, because it needs oauth4webapi.

export { sayLeft } from './leaving.ts'
export { holdOnlyTab } from './only-tab.ts'
export { discoverProvider } from './provider.ts'
export { exchangeFailure, failure, signInFailure } from './refusal.ts'
export { startStopwatch } from './stopwatch.ts'

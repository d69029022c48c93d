import { isolated, plain, ticketIn } from '../banner/names.ts'
import type { TokenContext } from '../claims.ts'
import type { ImpersonationProvider } from '../provider.ts'
import { isTokenRefused } from '../refused-token.ts'
import type { SessionEnd } from '../texts.ts'
import { askCurrent, requestEnd } from './by-token.ts'
import type { Settings } from './options.ts'
import type { Session, Sessions } from './sessions.ts'

/** An operator who acts as a user in this browser, and for an hour after the end that it is over. */
export interface Impersonation {
  /**
   * The access token of the user, bound to one resource. Keep it on the server. Empty once the
   * impersonation is over.
   */
  readonly accessToken: string
  /** The user: `sub` of the token. `undefined` where the token is opaque. */
  readonly userId: string | undefined
  /** The operator, by `sub` of the operator's ID token. */
  readonly actor: { readonly sub: string }
  /** `impersonation_context.ticket_id` of the token, where your provider adds it. */
  readonly ticket: string | undefined
  /** The scope of the token, as the provider granted it. */
  readonly scope: readonly string[]
  /** Milliseconds since the epoch, by the clock of this machine. */
  readonly expiresAtMs: number
  /** The claims of a JWT access token, with what `getCustomJwtClaims` added; `{}` where it is opaque. */
  readonly context: TokenContext
  /**
   * An end elsewhere is known when `fetch` was refused the token: a guard of your API knows of it within
   * 8 seconds. `current` asks nobody.
   */
  readonly state: 'active' | 'ended' | 'expired'
  /** How it ended; `undefined` where it has not, or where the provider did not tell. */
  readonly ending: SessionEnd | undefined
  /** Whether a person looks at it afterwards, as in an emergency. */
  readonly isToBeReviewed: boolean
  /** The path to which the form of the banner is posted. */
  readonly endPath: string
  /**
   * Sends a request with the access token, follows no redirect, and caches nothing. After an answer
   * 401 that refuses the token, the impersonation has ended.
   *
   * @throws TypeError where the address is of an origin that the token is not for
   * @throws Error where the impersonation is over
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
}

/** What the impersonation of a request needs. */
export interface Surroundings {
  readonly settings: Settings
  readonly sessions: Sessions
  readonly findProvider: () => Promise<ImpersonationProvider>
}

export function impersonationOf(
  id: string,
  found: Session,
  { settings, sessions, findProvider }: Surroundings,
): Impersonation {
  let session = found
  const { actor, scope, expiresAtMs, context, isToBeReviewed } = session
  const ticket = isolated(ticketIn(context))

  function stateNow(): Impersonation['state'] {
    if (session.isEnded) return 'ended'
    return expiresAtMs <= Date.now() ? 'expired' : 'active'
  }

  /** The API refuses the token. The provider says how it ended, and gets the end in case the API is wrong. */
  async function markEnded(accessToken: string): Promise<void> {
    const provider = await findProvider().catch(() => undefined)
    const current = provider && (await askCurrent(provider, accessToken, settings.fetch))
    if (provider && current?.state === 'active') {
      await requestEnd(provider, accessToken, settings.fetch).catch(() => {})
    }
    session = { ...session, accessToken: '', isEnded: true, ending: current?.ending }
    await sessions.change(id, session)
  }

  return Object.freeze<Impersonation>({
    get accessToken() {
      return stateNow() === 'active' ? session.accessToken : ''
    },
    userId: typeof context.sub === 'string' ? context.sub : undefined,
    actor: Object.freeze({ sub: actor }),
    ticket: ticket && plain(ticket),
    scope: Object.freeze([...scope]),
    expiresAtMs,
    context,
    get state() {
      return stateNow()
    },
    get ending() {
      return session.ending
    },
    isToBeReviewed,
    endPath: settings.endPath,
    async fetch(input, init) {
      const request = new Request(input, init)
      const { origin } = new URL(request.url)
      if (!settings.origins.includes(origin)) {
        throw new TypeError(`the token is not for ${origin}: allow it by the option origins`)
      }
      const { accessToken } = session
      if (stateNow() !== 'active') throw new Error('the impersonation is over')
      request.headers.set('authorization', `Bearer ${accessToken}`)
      // A cache that applications share has nothing of one customer.
      const response = await settings.fetch(request, { cache: 'no-store', redirect: 'manual' })
      if (isTokenRefused(response, true) && !session.isEnded) await markEnded(accessToken)
      return response
    },
  })
}

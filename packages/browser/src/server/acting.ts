import { isolated, plain, ticketIn } from '../banner/names.ts'
import { isTokenRefused } from '../refused-token.ts'
import { askCurrent, endAtProvider } from './by-token.ts'
import type { Impersonation } from './impersonation.ts'
import type { Session } from './sessions.ts'
import type { Surroundings } from './surroundings.ts'

export function impersonationOf(
  id: string,
  found: Session,
  surroundings: Surroundings,
): Impersonation {
  const { settings, sessions, findProvider } = surroundings
  let session = found
  const { actor, scope, expiresAtMs, context, isToBeReviewed } = session
  const ticket = isolated(ticketIn(context))

  function stateNow(): Impersonation['state'] {
    if (session.isEnded) return 'ended'
    return expiresAtMs <= Date.now() ? 'expired' : 'active'
  }

  /**
   * Marks the end after the API refused the token. The provider reports the end, and gets it in
   * case the API is wrong.
   */
  async function markEnded(accessToken: string): Promise<void> {
    const provider = await findProvider().catch(() => undefined)
    const current = provider && (await askCurrent(provider, accessToken, settings.fetch))
    if (current?.state !== 'ended') await endAtProvider(accessToken, surroundings)
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
      // A cache that applications share must hold no data of one customer.
      const response = await settings.fetch(request, { cache: 'no-store', redirect: 'manual' })
      if (isTokenRefused(response, true) && !session.isEnded) await markEnded(accessToken)
      return response
    },
  })
}

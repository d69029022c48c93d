import { impersonationOf } from './acting.ts'
import type { Answers } from './answers.ts'
import { endAtProvider } from './by-token.ts'
import { ACTING_COOKIE, goneCookie, readCookie, type WithHeaders } from './cookies.ts'
import type { Session } from './sessions.ts'
import type { Surroundings } from './surroundings.ts'

const ENDED_HERE = {
  accessToken: '',
  isEnded: true,
  ending: { by: 'operator', cause: 'requested' },
} satisfies Partial<Session>

/** Ends the impersonation in this browser, by the form of a page of this application. */
export async function end(
  request: Request,
  surroundings: Surroundings,
  answers: Answers,
): Promise<Response> {
  const { settings, sessions } = surroundings
  if (!isFromOwnPage(request, settings.origin)) return answers.say(request, 'foreign_end')
  const cookies = [goneCookie(ACTING_COOKIE)]
  const id = readCookie(request, ACTING_COOKIE)
  const session = await sessions.read(id)
  if (!id || !session) return answers.redirect(settings.next, cookies)

  const impersonation = impersonationOf(id, session, surroundings)
  const wasActive = impersonation.state === 'active'
  if (wasActive && !(await endAtProvider(session.accessToken, surroundings))) {
    return answers.say(request, 'end_failed', { impersonation })
  }
  await sessions.remove(id)
  if (!wasActive) return answers.redirect(settings.next, cookies)
  const ended = impersonationOf(id, { ...session, ...ENDED_HERE }, surroundings)
  return answers.say(request, 'ended', { cookies, impersonation: ended })
}

/**
 * Ends it, and removes it in any case. A sign-out does not fail because the provider cannot be
 * reached.
 *
 * @returns the headers that remove the cookie; none if no operator acts
 */
export async function forget(request: WithHeaders, surroundings: Surroundings): Promise<Headers> {
  const { sessions } = surroundings
  const headers = new Headers()
  const id = readCookie(request, ACTING_COOKIE)
  const session = await sessions.read(id)
  if (!id || !session) return headers
  await sessions.remove(id)
  const { state } = impersonationOf(id, session, surroundings)
  if (state === 'active') await endAtProvider(session.accessToken, surroundings)
  headers.append('set-cookie', goneCookie(ACTING_COOKIE))
  return headers
}

/**
 * Checks the origin. A page with `Referrer-Policy: no-referrer` sends `Origin: null`. Browsers
 * then report a page of the same origin in `Sec-Fetch-Site`, which no page can set itself.
 */
function isFromOwnPage({ headers }: Request, own: string): boolean {
  const origin = headers.get('origin') ?? 'null'
  return origin === 'null' ? headers.get('sec-fetch-site') === 'same-origin' : origin === own
}

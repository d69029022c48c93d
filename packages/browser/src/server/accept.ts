import { parseClaims } from '../claims.ts'
import { inWords } from '../errors.ts'
import { randomValue } from '../random-value.ts'
import { exchangeFailure, signInFailure } from '../refusal.ts'
import { impersonationOf } from './acting.ts'
import type { Answers } from './answers.ts'
import { askCurrent, endAtProvider } from './by-token.ts'
import { ACTING_COOKIE, BEGUN_COOKIE, cookie, goneCookie, readCookie } from './cookies.ts'
import { readSubjectToken } from './form.ts'
import type { Impersonation } from './impersonation.ts'
import type { Begun, Kept } from './sessions.ts'
import type { Surroundings } from './surroundings.ts'

/** Takes the form of the back office, and redirects to the provider to find the operator. */
export async function begin(
  request: Request,
  { settings, sessions, findProvider }: Surroundings,
  answers: Answers,
): Promise<Response> {
  // Login CSRF: a foreign page must not choose the customer for the operator.
  if (!settings.from.includes(request.headers.get('origin') ?? '')) {
    return answers.say(request, 'foreign_form')
  }
  const subjectToken = await readSubjectToken(request)
  if (subjectToken === undefined) return answers.say(request, 'malformed')
  const secrets = { state: randomValue(), nonce: randomValue(), verifier: randomValue() }
  let url: URL
  try {
    const provider = await findProvider()
    url = await provider.authorizationUrl(secrets)
  } catch (error) {
    return answers.refuse(request, error)
  }
  const { id, untilMs } = await sessions.keepBegun({ ...secrets, subjectToken })
  return answers.redirect(url.href, [cookie(BEGUN_COOKIE, id, untilMs)])
}

/** Comes back from the provider, exchanges the token, and stores the session. */
export async function finish(
  request: Request,
  surroundings: Surroundings,
  answers: Answers,
): Promise<Response> {
  const { settings, sessions } = surroundings
  const answer = new URL(request.url).searchParams
  const id = readCookie(request, BEGUN_COOKIE)
  const begun = await sessions.readBegun(id)
  // The attempt that this browser has begun stays, whatever another page sends it here with.
  if (!id || answer.get('state') !== begun?.state) return answers.say(request, 'foreign_answer')

  const cookies = [goneCookie(BEGUN_COOKIE)]
  if (!(await sessions.takeBegun(id))) return answers.say(request, 'foreign_answer', { cookies })

  let actor: string | undefined
  try {
    const impersonation = await clearBefore(request, surroundings)
    if (impersonation) {
      return await answers.say(request, 'already_acting', { cookies, impersonation })
    }
    const kept = await exchange(answer, begun, surroundings, (sub) => {
      actor = sub
    })
    return answers.redirect(settings.next, [
      ...cookies,
      cookie(ACTING_COOKIE, kept.id, kept.untilMs),
    ])
  } catch (error) {
    return answers.refuse(request, error, { cookies, actor })
  }
}

/**
 * @returns the impersonation that goes on in this browser; one that was ended elsewhere does not
 */
async function clearBefore(
  request: Request,
  surroundings: Surroundings,
): Promise<Impersonation | undefined> {
  const { settings, sessions, findProvider } = surroundings
  const id = readCookie(request, ACTING_COOKIE)
  const session = await sessions.read(id)
  if (!id || !session) return undefined
  const impersonation = impersonationOf(id, session, surroundings)
  if (impersonation.state === 'active') {
    const current = await askCurrent(await findProvider(), session.accessToken, settings.fetch)
    if (current?.state !== 'ended') return impersonation
  }
  await sessions.remove(id)
  return undefined
}

async function exchange(
  answer: URLSearchParams,
  begun: Begun,
  surroundings: Surroundings,
  tellActor: (sub: string) => void,
): Promise<Kept> {
  const { settings, sessions, findProvider } = surroundings
  const provider = await findProvider()
  const operator = await provider.operator(answer, begun).catch(inWords(signInFailure))
  tellActor(operator.sub)
  const askedAtMs = Date.now()
  const { accessToken, scope, expiresIn } = await provider
    .exchange(begun.subjectToken, operator.accessToken)
    .catch(inWords((error) => exchangeFailure(error, {}, operator)))
  const current = await askCurrent(provider, accessToken, settings.fetch)
  const session = {
    accessToken,
    actor: operator.sub,
    scope,
    expiresAtMs: askedAtMs + expiresIn * 1000,
    context: parseClaims(accessToken),
    isToBeReviewed: current?.isToBeReviewed === true,
    isEnded: false,
    ending: undefined,
  }
  try {
    return await sessions.keep(session)
  } catch (error) {
    // Nobody could end it here.
    await endAtProvider(accessToken, surroundings)
    throw error
  }
}

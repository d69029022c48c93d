import type { Context } from 'koa'
import * as oauth from 'oauth4webapi'
import type { Provider } from 'oidc-provider-impersonation'
import { unavailable } from '../http/problem.ts'
import { type CookiePlace, oldCookies, readCookie, writeCookie } from './cookie.ts'
import { providerInProcess } from './in-process.ts'

/** The time that a person has at the provider, in seconds. */
const MAX_SIGN_IN_SECONDS = 900
const TIMEOUT_MS = 10_000
/** All cookies of earlier sign-ins under way, in characters. They go with every request to the origin. */
const MAX_BEGUN_LENGTH = 4000
/** The longest address that a sign-in leads back to, in characters. A cookie has 4096 at most. */
const MAX_TO_LENGTH = 2000

/** The provider wants to see the person: nothing is wrong. */
const NEEDS_PERSON: readonly string[] = [
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]

/** The reason why nobody is signed in. */
export type SignInTrouble = 'cancelled' | 'elsewhere' | 'late' | 'needed' | 'refused'

/** The way in which the provider sent the person back. */
export interface Returned {
  /** The address below the base from which the person was sent. */
  readonly to: string
  readonly trouble?: SignInTrouble | undefined
}

/** The content of the cookie of a sign-in under way. */
interface Begun {
  readonly verifier: string
  readonly to: string
}

export interface CodeFlow {
  /** Sends the person to the provider. @param prompt `none`: the provider shows nothing */
  begin(ctx: Context, to: string, prompt?: 'login' | 'none'): Promise<void>
  /** Redeems the code, and writes the cookie. @throws Problem 503 */
  finish(ctx: Context): Promise<Returned>
}

/**
 * Signs people in by the code flow with PKCE. The code is redeemed in this process, without a
 * request to the public address of the provider.
 */
export function codeFlow(
  provider: Provider,
  {
    clientId,
    callbackUrl,
    cookie,
  }: { readonly clientId: string; readonly callbackUrl: string; readonly cookie: CookiePlace },
): CodeFlow {
  const server: oauth.AuthorizationServer = {
    issuer: provider.issuer,
    token_endpoint: provider.urlFor('token'),
    authorization_response_iss_parameter_supported: true,
  }
  const ask = providerInProcess(provider)
  const tokenPath = provider.pathFor('token', { mountPath: '' })
  const prefix = `${cookie.name}-state-`
  const placeOf = (state: string): CookiePlace => ({ ...cookie, name: prefix + state })

  async function redeem(ctx: Context, state: string, { verifier }: Begun) {
    const known = await provider.Client.find(clientId)
    const client: oauth.Client = {
      client_id: clientId,
      id_token_signed_response_alg: known?.idTokenSignedResponseAlg ?? 'RS256',
    }
    const answer = new URL(`${callbackUrl}?${ctx.querystring}`)
    const parameters = oauth.validateAuthResponse(server, client, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      ...[server, client, oauth.None(), parameters, callbackUrl, verifier],
      {
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (_url, { body, signal }) =>
          ask(tokenPath, new URLSearchParams(String(body)), signal),
        signal: () => AbortSignal.timeout(TIMEOUT_MS),
      },
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  }

  return {
    async begin(ctx, to, prompt) {
      const state = oauth.generateRandomState()
      const begun: Begun = {
        verifier: oauth.generateRandomCodeVerifier(),
        to: to.length > MAX_TO_LENGTH ? '' : to,
      }
      const value = Buffer.from(JSON.stringify(begun)).toString('base64url')
      for (const name of oldCookies(ctx, prefix, MAX_BEGUN_LENGTH)) {
        writeCookie(ctx, { ...cookie, name }, '', 0)
      }
      writeCookie(ctx, placeOf(state), value, MAX_SIGN_IN_SECONDS)
      const parameters = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        response_mode: 'query',
        redirect_uri: callbackUrl,
        scope: 'openid',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(prompt && { prompt }),
      })
      ctx.status = 303
      ctx.redirect(`${provider.urlFor('authorization')}?${parameters}`)
    },

    async finish(ctx) {
      const state = stateOf(ctx)
      const begun = readBegun(ctx, placeOf(state).name)
      if (!begun) return { to: '', trouble: 'elsewhere' }
      writeCookie(ctx, placeOf(state), '', 0)
      try {
        const { access_token: token, expires_in: seconds = 0 } = await redeem(ctx, state, begun)
        writeCookie(ctx, cookie, token, seconds)
        return begun
      } catch (error) {
        return { to: begun.to, trouble: troubleOf(error) }
      }
    },
  }
}

/** The state of an answer of the provider. Empty for what we never sent. */
function stateOf({ query: { state } }: Context): string {
  return typeof state === 'string' && /^[\w-]{43}$/.test(state) ? state : ''
}

function readBegun(ctx: Context, name: string): Begun | undefined {
  const value = readCookie(ctx, name)
  if (value === undefined) return undefined
  try {
    const { verifier, to } = JSON.parse(Buffer.from(value, 'base64url').toString())
    return { verifier: String(verifier), to: isPathBelow(to) ? to : '' }
  } catch {
    return undefined
  }
}

/** Checks whether a text is an address below our own path, and leads nowhere else. */
export function isPathBelow(to: unknown): to is string {
  if (typeof to !== 'string' || !/^(?:|[/?][!-~]*)$/.test(to)) return false
  const [path = ''] = to.split('?')
  return !/^\/[/\\]|\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
}

/** @throws Problem 503 where the provider did not answer */
function troubleOf(error: unknown): SignInTrouble {
  if (error instanceof oauth.AuthorizationResponseError) {
    if (NEEDS_PERSON.includes(error.error)) return 'needed'
    return error.error === 'access_denied' ? 'cancelled' : 'refused'
  }
  if (error instanceof oauth.ResponseBodyError) return 'late'
  if (error instanceof oauth.OperationProcessingError) return 'refused'
  throw unavailable('the provider cannot sign you in now', error)
}

import type { Context } from 'koa'
import * as oauth from 'oauth4webapi'
import type { Provider } from 'oidc-provider-impersonation'
import { isId } from '../../kernel/ids.ts'
import { unavailable } from '../../kernel/problem.ts'
import { redirect } from '../http/redirect.ts'
import { type CookiePlace, oldCookies, readCookie, writeCookie } from './cookie.ts'
import { providerInProcess } from './in-process.ts'

/** The time that a person has at the provider, in seconds. */
const MAX_SIGN_IN_SECONDS = 900
const TIMEOUT_MS = 10_000
/** All cookies of earlier sign-ins under way, in characters. They go with every request to the origin. */
const MAX_BEGUN_LENGTH = 2500
/** The longest address that a sign-in leads back to, in characters. A cookie has 4096 at most. */
const MAX_TO_LENGTH = 2000

/**
 * Signs people in by the code flow with PKCE. The code is redeemed in this process, without a
 * request to the public address of the provider.
 */
export function codeFlow(
  provider: Provider,
  clientId: string,
  callbackUrl: string,
  cookie: CookiePlace,
) {
  const server: oauth.AuthorizationServer = {
    issuer: provider.issuer,
    token_endpoint: provider.urlFor('token'),
    authorization_response_iss_parameter_supported: true,
  }
  const ask = providerInProcess(provider)
  const tokenPath = provider.pathFor('token', { mountPath: '' })
  const prefix = `${cookie.name}-state-`
  const placeOf = (state: string): CookiePlace => ({ ...cookie, name: prefix + state })

  async function redeem(ctx: Context, state: string, verifier: string) {
    const known = await provider.Client.find(clientId)
    const client: oauth.Client = {
      client_id: clientId,
      id_token_signed_response_alg: known?.idTokenSignedResponseAlg ?? 'RS256',
    }
    const answer = new URL(`${callbackUrl}?${ctx.querystring}`)
    const parameters = oauth.validateAuthResponse(server, client, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      callbackUrl,
      verifier,
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
    /** Sends the person to the provider. @param prompt `none`: the provider shows nothing */
    async begin(ctx: Context, to: string, prompt?: 'login' | 'none'): Promise<void> {
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()]
      for (const name of oldCookies(ctx, prefix, MAX_BEGUN_LENGTH)) {
        writeCookie(ctx, { ...cookie, name }, '', 0)
      }
      const kept = Buffer.from(to.length > MAX_TO_LENGTH ? '' : to).toString('base64url')
      writeCookie(ctx, placeOf(state), `${verifier}.${kept}`, MAX_SIGN_IN_SECONDS)
      const parameters = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        response_mode: 'query',
        redirect_uri: callbackUrl,
        scope: 'openid',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(prompt && { prompt }),
      })
      redirect(ctx, `${provider.urlFor('authorization')}?${parameters}`)
    },

    /**
     * Redeems the code, and writes the cookie.
     *
     * @returns the address below the base from which the person was sent, or that of the door
     * @throws Problem 503
     */
    async finish(ctx: Context): Promise<string> {
      const state = String(ctx.query.state)
      const place = placeOf(state)
      const begun = isId(state) ? readCookie(ctx, place.name) : undefined
      if (begun === undefined) return doorPath('elsewhere', '')
      writeCookie(ctx, place, '', 0)
      const [verifier = '', kept = ''] = begun.split('.')
      const to = pathBelow(Buffer.from(kept, 'base64url').toString())
      try {
        const { access_token: token, expires_in: seconds = 0 } = await redeem(ctx, state, verifier)
        writeCookie(ctx, cookie, token, seconds)
        return to
      } catch (error) {
        return doorPath(troubleOf(error), to)
      }
    },
  }
}

/** @param why the key of the sentence that says why nobody is signed in */
function doorPath(why: string, to: string): string {
  return `/sign-in?${new URLSearchParams({ why, to })}`
}

/** An address below our own path as it is, and the first page for every other. */
export function pathBelow(to: unknown): string {
  if (typeof to !== 'string' || !/^(?:|[/?][!-~]*)$/.test(to)) return ''
  const [path = ''] = to.split('?')
  return /^\/[/\\]|\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? '' : to
}

/** @throws Problem 503 if the provider did not answer */
function troubleOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError) {
    // The provider wants to see the person: nothing is wrong.
    if (error.error.endsWith('_required')) return 'needed'
    return error.error === 'access_denied' ? 'cancelled' : 'refused'
  }
  if (error instanceof oauth.ResponseBodyError) return 'late'
  if (error instanceof oauth.OperationProcessingError) return 'refused'
  throw unavailable('the provider cannot sign you in now', error)
}

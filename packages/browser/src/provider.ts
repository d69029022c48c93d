import type { CheckedOptions } from './accept-options.ts'
import type { HandOver } from './arrival.ts'
import { ImpersonationError, type ImpersonationErrorCode } from './errors.ts'
import type { Link } from './link.ts'
import { parseUrl } from './quietly.ts'
import { generateProofKey, oauth, type ProofKey, parseClaims } from './token-request.ts'

const TIMEOUT_MS = 10_000
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** The operator in person, as the provider knows them. */
export interface Operator {
  readonly accessToken: string
  readonly sub: string
  /** The time of the provider, in seconds since the epoch. */
  readonly time: number
}

/** What the exchange answered. */
export interface Granted {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly scope: readonly string[]
  /** Seconds. */
  readonly expiresIn: number
}

/** The provider, as a public client in the browser sees it. */
export interface ImpersonationProvider {
  readonly key: ProofKey | undefined
  /** Where the access token itself ends its impersonation; absent where the provider has none. */
  readonly endEndpoint: URL | undefined
  /** Where the access token asks how its impersonation stands; absent where the provider has none. */
  readonly currentEndpoint: URL | undefined
  /** Asks, without a page of the provider, who the operator is: OpenID Connect Core §3.1.2.1. */
  authorizationUrl(handOver: HandOver): Promise<URL>
  /** Validates the answer of the authorization endpoint, and redeems its code. */
  operator(answer: URLSearchParams, handOver: HandOver): Promise<Operator>
  /** RFC 8693. Sent once: a subject token that is redeemed twice counts as stolen. */
  exchange(subjectToken: string, actorToken: string): Promise<Granted>
}

export async function discoverProvider(options: CheckedOptions): Promise<ImpersonationProvider> {
  const { issuer, clientId, redirectUri, resource, dPoP, texts } = options
  const discovered = await oauth.discoveryRequest(issuer, requestOptions(options))
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const key = dPoP ? await generateProofKey() : undefined
  const tokenRequestOptions = { ...requestOptions(options), ...(key && { DPoP: key.handle }) }
  const client = { client_id: clientId }

  /** Never another scheme than the issuer's, whatever the discovery document says. */
  function endpoint(address: unknown): URL | undefined {
    const url = typeof address === 'string' ? parseUrl(address) : undefined
    return url?.protocol === issuer.protocol ? url : undefined
  }

  function misconfigured(answered: string): ImpersonationError {
    const cause = new Error(`the provider answers ${answered}`)
    return new ImpersonationError('misconfigured', { texts, cause })
  }

  /** RFC 9449 §8: a provider that wants a nonce refuses the first request, and changes nothing. */
  async function withNonce<T>(ask: () => Promise<T>): Promise<T> {
    return ask().catch((error: unknown) => {
      if (key && oauth.isDPoPNonceError(error)) return ask()
      throw error
    })
  }

  return {
    key,
    endEndpoint: endpoint(server.impersonation_end_endpoint),
    currentEndpoint: endpoint(server.impersonation_current_endpoint),

    async authorizationUrl({ state, nonce, verifier }) {
      const url = endpoint(server.authorization_endpoint)
      if (!url) throw misconfigured('no authorization endpoint')
      const parameters = {
        client_id: clientId,
        response_type: 'code',
        response_mode: 'fragment',
        redirect_uri: redirectUri,
        scope: 'openid',
        prompt: 'none',
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url
    },

    async operator(answer, { state, nonce, verifier }) {
      const parameters = oauth.validateAuthResponse(server, client, answer, state)
      return withNonce(async () => {
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          redirectUri,
          verifier,
          tokenRequestOptions,
        )
        const time = await readTime(response)
        // The clock of this machine may be wrong. The ID token was made just now, for this nonce.
        const clockSkew = time - Math.floor(Date.now() / 1000)
        const tokens = await oauth.processAuthorizationCodeResponse(
          server,
          { ...client, [oauth.clockSkew]: clockSkew },
          response,
          { expectedNonce: nonce, requireIdToken: true },
        )
        key?.setClock(time)
        const sub = String(oauth.getValidatedIdTokenClaims(tokens)?.sub)
        return { accessToken: tokens.access_token, sub, time }
      })
    },

    async exchange(subjectToken, actorToken) {
      const parameters = {
        subject_token: subjectToken,
        subject_token_type: ACCESS_TOKEN_TYPE,
        actor_token: actorToken,
        actor_token_type: ACCESS_TOKEN_TYPE,
        resource,
        scope: options.scope,
      }
      return withNonce(async () => {
        const response = await oauth.genericTokenEndpointRequest(
          server,
          client,
          oauth.None(),
          TOKEN_EXCHANGE,
          parameters,
          tokenRequestOptions,
        )
        const { access_token, token_type, expires_in, scope } =
          await oauth.processGenericTokenEndpointResponse(server, client, response)
        const isBound = token_type === 'dpop'
        // A bearer token where a bound one was asked for: the provider does not support RFC 9449.
        if (isBound !== dPoP || !expires_in) throw misconfigured(`a token of type ${token_type}`)
        return {
          accessToken: access_token,
          tokenType: isBound ? 'DPoP' : 'Bearer',
          // RFC 6749 §5.1: without `scope`, it is the scope that was asked for.
          scope: (scope ?? options.scope).split(' '),
          expiresIn: expires_in,
        }
      })
    },
  }
}

type Sent = oauth.CustomFetchOptions<string, URLSearchParams | undefined>

function requestOptions({ issuer, fetch }: CheckedOptions) {
  const send = (url: string, { body, signal, ...init }: Sent) =>
    fetch(url, {
      ...init,
      ...(body && { body }),
      ...(signal && { signal }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    })
  return {
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    [oauth.customFetch]: send,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  }
}

/** `iat` of the ID token. Another site cannot read the header `Date`. */
async function readTime(response: Response): Promise<number> {
  const answer = await response
    .clone()
    .json()
    .catch(() => {})
  const { iat } = parseClaims(String(answer?.id_token))
  return typeof iat === 'number' ? iat : Math.floor(Date.now() / 1000)
}

/** OpenID Connect Core §3.1.2.6. */
const SIGN_IN_ERRORS: Readonly<Record<string, ImpersonationErrorCode>> = {
  access_denied: 'denied',
  account_selection_required: 'not_signed_in',
  consent_required: 'consent_required',
  interaction_required: 'consent_required',
  login_required: 'not_signed_in',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
}

/** An answer that is not one to the request of this tab. */
const FOREIGN_ANSWER_CODES: readonly string[] = [
  oauth.INVALID_RESPONSE,
  oauth.JWT_CLAIM_COMPARISON,
  oauth.JWT_TIMESTAMP_CHECK,
]

/** Why the provider did not tell who the operator is. */
export function signInFailure(error: unknown): ImpersonationErrorCode {
  if (error instanceof oauth.AuthorizationResponseError) {
    return SIGN_IN_ERRORS[error.error] ?? 'misconfigured'
  }
  if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') {
    return 'interrupted'
  }
  if (
    error instanceof oauth.OperationProcessingError &&
    FOREIGN_ANSWER_CODES.includes(String(error.code))
  ) {
    return 'foreign_answer'
  }
  return failure(error)
}

/**
 * Why the exchange was refused. The provider does not tell the reasons apart. The hints of the link
 * do, as far as they are true: they choose the message, after the provider has refused.
 */
export function exchangeFailure(
  error: unknown,
  { actor, expires }: Link,
  operator: Operator,
): ImpersonationErrorCode {
  if (!(error instanceof oauth.ResponseBodyError) || isForLater(error)) return failure(error)
  if (actor !== undefined && actor !== operator.sub) return 'other_operator'
  if (expires !== undefined && expires <= operator.time) return 'link_expired'
  if (error.error === 'access_denied') return 'denied'
  return error.error === 'invalid_request' ? 'refused' : failure(error)
}

/** Of a request that says nothing about the operator. */
export function failure(error: unknown): ImpersonationErrorCode {
  if (error instanceof oauth.ResponseBodyError) {
    return isForLater(error) ? 'unreachable' : 'misconfigured'
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return 'misconfigured'
  // The discovery document of another issuer.
  const isOther =
    error instanceof oauth.OperationProcessingError &&
    error.code === oauth.JSON_ATTRIBUTE_COMPARISON
  return isOther ? 'misconfigured' : 'unreachable'
}

/** The provider has judged nothing: it fails, or had too many requests (RFC 6585 §4). */
function isForLater({ status }: oauth.ResponseBodyError): boolean {
  return status >= 500 || status === 429
}

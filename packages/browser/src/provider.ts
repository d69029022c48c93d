import { parseClaims } from './claims.ts'
import { ImpersonationError, type ImpersonationTexts } from './errors.ts'
import { oauth } from './oauth.ts'
import { generateProofKey, type ProofKey } from './proof-key.ts'
import { parseUrl } from './quietly.ts'

const TIMEOUT_MS = 10_000
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** The settings for the provider. */
export interface ProviderSettings {
  readonly issuer: URL
  readonly clientId: string
  /** @defaultValue none: a page is a public client */
  readonly clientAuth?: oauth.ClientAuth
  readonly redirectUri: string
  /**
   * The response mode of the provider. @defaultValue the fragment, so that no server logs the code
   */
  readonly responseMode?: 'fragment' | 'query'
  readonly resource: string
  readonly scope: string
  readonly dPoP: boolean
  readonly texts?: ImpersonationTexts | undefined
  readonly fetch: typeof globalThis.fetch
  /**
   * The options of each request. @defaultValue for pages: no cookies, and no address of the page
   */
  readonly requestInit?: RequestInit
}

/** The values that tie the provider's response to the request. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636. */
  readonly verifier: string
}

/** The operator in person, as the provider identifies them. */
export interface Operator {
  readonly accessToken: string
  readonly sub: string
  /** The time of the provider, in seconds since the epoch. */
  readonly time: number
}

/** The response to the exchange. */
export interface Granted {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly scope: readonly string[]
  /** In seconds. */
  readonly expiresIn: number
}

/** The provider, as the client of the application sees it. */
export interface ImpersonationProvider {
  readonly key: ProofKey | undefined
  /**
   * The endpoint at which the access token ends its impersonation; absent if the provider has
   * none.
   */
  readonly endEndpoint: URL | undefined
  /**
   * The endpoint at which the access token reads its impersonation; absent if the provider has
   * none.
   */
  readonly currentEndpoint: URL | undefined
  /**
   * Makes the URL that identifies the operator without a page of the provider: OpenID Connect Core
   * §3.1.2.1.
   */
  authorizationUrl(secrets: SignInSecrets): Promise<URL>
  /** Validates the response of the authorization endpoint, and redeems its code. */
  operator(answer: URLSearchParams, secrets: SignInSecrets): Promise<Operator>
  /**
   * Exchanges the token once (RFC 8693), because a subject token that is redeemed twice counts as
   * stolen.
   */
  exchange(subjectToken: string, actorToken: string): Promise<Granted>
}

export async function discoverProvider(options: ProviderSettings): Promise<ImpersonationProvider> {
  const { issuer, clientId, redirectUri, resource, dPoP, texts } = options
  const { clientAuth = oauth.None(), responseMode = 'fragment' } = options
  const discovered = await oauth.discoveryRequest(issuer, requestOptions(options))
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const key = dPoP ? await generateProofKey() : undefined
  const tokenRequestOptions = { ...requestOptions(options), ...(key && { DPoP: key.handle }) }
  const client = { client_id: clientId }

  /**
   * Parses an endpoint. It never has another scheme than the issuer, whatever the discovery
   * document.
   */
  function endpoint(address: unknown): URL | undefined {
    const url = typeof address === 'string' ? parseUrl(address) : undefined
    return url?.protocol === issuer.protocol ? url : undefined
  }

  function misconfigured(answered: string): ImpersonationError {
    const cause = new Error(`the provider answers ${answered}`)
    return new ImpersonationError('misconfigured', { texts, cause })
  }

  /**
   * Retries once. RFC 9449 §8: a provider that wants a nonce refuses the first request, and
   * changes nothing.
   */
  async function withNonce<T>(ask: () => Promise<T>): Promise<T> {
    return ask().catch((error: unknown) => {
      if (key && oauth.isDPoPNonceError(error)) return ask()
      // RFC 6749 §5.2: a client that does not authenticate as it is registered.
      if (error instanceof oauth.WWWAuthenticateChallengeError) {
        throw misconfigured(String(error.cause[0]?.parameters.error))
      }
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
        response_mode: responseMode,
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
          clientAuth,
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
          clientAuth,
          TOKEN_EXCHANGE,
          parameters,
          tokenRequestOptions,
        )
        const { access_token, token_type, expires_in, scope } =
          await oauth.processGenericTokenEndpointResponse(server, client, response)
        const isBound = token_type === 'dpop'
        // A bearer token instead of a bound one: the provider does not support RFC 9449.
        if (isBound !== dPoP || !expires_in) throw misconfigured(`a token of type ${token_type}`)
        return {
          accessToken: access_token,
          tokenType: isBound ? 'DPoP' : 'Bearer',
          // RFC 6749 §5.1: without `scope`, it is the requested scope.
          scope: (scope ?? options.scope).split(' '),
          expiresIn: expires_in,
        }
      })
    },
  }
}

type Sent = oauth.CustomFetchOptions<string, URLSearchParams | undefined>

const PAGE_REQUEST: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer' }

function requestOptions({ issuer, fetch, requestInit = PAGE_REQUEST }: ProviderSettings) {
  const send = (url: string, { body, signal, ...init }: Sent) =>
    fetch(url, {
      ...init,
      ...(body && { body }),
      ...(signal && { signal }),
      ...requestInit,
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
  const { iat } = parseClaims(String(Object(answer).id_token))
  return typeof iat === 'number' ? iat : Math.floor(Date.now() / 1000)
}

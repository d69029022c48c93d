import * as oauth from 'oauth4webapi'
import type { CheckedOptions } from './accept-options.ts'
import { parseClaims } from './claims.ts'
import { ImpersonationError } from './errors.ts'
import type { HandOver } from './hand-over.ts'
import { ProofKey } from './proof-key.ts'
import { parseUrl } from './url.ts'

const TIMEOUT_MS = 10_000
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** The operator in person, as the provider knows them. */
export interface Operator {
  readonly accessToken: string
  readonly subject: string
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
export class ImpersonationProvider {
  readonly #options: CheckedOptions
  readonly #server: oauth.AuthorizationServer
  readonly #client: oauth.Client
  readonly key: ProofKey | undefined

  private constructor(
    options: CheckedOptions,
    server: oauth.AuthorizationServer,
    key: ProofKey | undefined,
  ) {
    this.#options = options
    this.#server = server
    this.#client = { client_id: options.clientId }
    this.key = key
  }

  static async discover(options: CheckedOptions): Promise<ImpersonationProvider> {
    const response = await oauth.discoveryRequest(options.issuer, requestOptions(options))
    const server = await oauth.processDiscoveryResponse(options.issuer, response)
    return new ImpersonationProvider(
      options,
      server,
      options.dPoP ? await ProofKey.generate() : undefined,
    )
  }

  /** Where the access token itself ends its impersonation; absent where the provider has none. */
  get endEndpoint(): URL | undefined {
    return this.#endpoint(this.#server.impersonation_end_endpoint)
  }

  /** Where the access token asks how its impersonation stands; absent where the provider has none. */
  get currentEndpoint(): URL | undefined {
    return this.#endpoint(this.#server.impersonation_current_endpoint)
  }

  /** Asks, without a page of the provider, who the operator is: OpenID Connect Core §3.1.2.1. */
  async authorizationUrl({ state, nonce, verifier }: HandOver): Promise<URL> {
    const url = this.#endpoint(this.#server.authorization_endpoint)
    if (!url) throw this.#misconfigured('no authorization endpoint')
    const parameters = {
      client_id: this.#options.clientId,
      response_type: 'code',
      response_mode: 'fragment',
      redirect_uri: this.#options.redirectUri,
      scope: 'openid',
      prompt: 'none',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  /** Validates the answer of the authorization endpoint, and redeems its code. */
  async operator(answer: URLSearchParams, { state, nonce, verifier }: HandOver): Promise<Operator> {
    const parameters = oauth.validateAuthResponse(this.#server, this.#client, answer, state)
    return this.#withNonce(async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        oauth.None(),
        parameters,
        this.#options.redirectUri,
        verifier,
        this.#tokenRequestOptions(),
      )
      const time = await readTime(response)
      // The clock of this machine may be wrong. The ID token was made just now, for this nonce.
      const clockSkew = time - Math.floor(Date.now() / 1000)
      const client = { ...this.#client, [oauth.clockSkew]: clockSkew }
      const tokens = await oauth.processAuthorizationCodeResponse(this.#server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      this.key?.setClock(time)
      const subject = String(oauth.getValidatedIdTokenClaims(tokens)?.sub)
      return { accessToken: tokens.access_token, subject, time }
    })
  }

  /** RFC 8693. Sent once: a subject token that is redeemed twice counts as stolen. */
  async exchange(subjectToken: string, actorToken: string): Promise<Granted> {
    const parameters = {
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token: actorToken,
      actor_token_type: ACCESS_TOKEN_TYPE,
      resource: this.#options.resource,
      scope: this.#options.scope,
    }
    return this.#withNonce(async () => {
      const response = await oauth.genericTokenEndpointRequest(
        this.#server,
        this.#client,
        oauth.None(),
        TOKEN_EXCHANGE,
        parameters,
        this.#tokenRequestOptions(),
      )
      const { access_token, token_type, expires_in, scope } =
        await oauth.processGenericTokenEndpointResponse(this.#server, this.#client, response)
      const isBound = token_type === 'dpop'
      // A bearer token where a bound one was asked for: the provider does not support RFC 9449.
      if (isBound !== this.#options.dPoP || !expires_in) {
        throw this.#misconfigured(`a token of type ${token_type}`)
      }
      return {
        accessToken: access_token,
        tokenType: isBound ? 'DPoP' : 'Bearer',
        // RFC 6749 §5.1: without `scope`, it is the scope that was asked for.
        scope: (scope ?? this.#options.scope).split(' '),
        expiresIn: expires_in,
      }
    })
  }

  /** RFC 9449 §8: a provider that wants a nonce refuses the first request, and changes nothing. */
  async #withNonce<T>(ask: () => Promise<T>): Promise<T> {
    return ask().catch((error: unknown) => {
      if (this.key && oauth.isDPoPNonceError(error)) return ask()
      throw error
    })
  }

  #misconfigured(answered: string): ImpersonationError {
    const cause = new Error(`the provider answers ${answered}`)
    return new ImpersonationError('misconfigured', { texts: this.#options.texts, cause })
  }

  #tokenRequestOptions(): oauth.TokenEndpointRequestOptions {
    const options = requestOptions(this.#options)
    return this.key ? { ...options, DPoP: this.key.handle } : options
  }

  /** Never another scheme than the issuer's, whatever the discovery document says. */
  #endpoint(address: unknown): URL | undefined {
    const url = typeof address === 'string' ? parseUrl(address) : undefined
    return url?.protocol === this.#options.issuer.protocol ? url : undefined
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
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const idToken =
    typeof answer === 'object' && answer !== null && 'id_token' in answer
      ? String(answer.id_token)
      : ''
  const { iat } = parseClaims(idToken)
  return typeof iat === 'number' ? iat : Math.floor(Date.now() / 1000)
}

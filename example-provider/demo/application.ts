import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import * as oidc from 'openid-client'
import { Browser, TIMEOUT_MS } from './browser.ts'
import { check } from './report.ts'

/** The provider's address, at which people sign in. */
const SUPPORT_TOOL = { clientId: 'support-tool', redirectPath: '/support/callback' } as const

/** The client part of an application for operators. It runs in a browser, so it has no secret. */
export class Application {
  readonly #base: string
  readonly #configuration: oidc.Configuration
  readonly #redirectUri: string

  private constructor(base: string, configuration: oidc.Configuration, redirectPath: string) {
    this.#base = base
    this.#configuration = configuration
    this.#redirectUri = `${base}${redirectPath}`
  }

  static async discover(
    base: string,
    { clientId, redirectPath }: { clientId: string; redirectPath: string } = SUPPORT_TOOL,
  ): Promise<Application> {
    const issuer = new URL('/oidc', base)
    const plain = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
    const configuration = await oidc.discovery(issuer, clientId, undefined, oidc.None(), {
      execute: plain,
      timeout: TIMEOUT_MS / 1000,
    })
    check(
      configuration.serverMetadata().grant_types_supported?.includes(TOKEN_EXCHANGE_GRANT_TYPE) ===
        true,
      'the provider does not offer token exchange',
    )
    return new Application(base, configuration, redirectPath)
  }

  /** Authorization code with PKCE. Returns the operator's access token. */
  async signIn(login: string, password: string): Promise<string> {
    const redirectUri = this.#redirectUri
    const verifier = oidc.randomPKCECodeVerifier()
    const state = oidc.randomState()
    const authorizationUrl = oidc.buildAuthorizationUrl(this.#configuration, {
      redirect_uri: redirectUri,
      scope: 'openid',
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const browser = new Browser(this.#base)
    const answer = await browser.signIn(authorizationUrl, login, password, redirectUri)
    const tokens = await oidc.authorizationCodeGrant(this.#configuration, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      idTokenExpected: true,
    })
    const sub = tokens.claims()?.sub
    check(sub === login, `the ID token is for ${sub}, not for ${login}`)
    return tokens.access_token
  }

  /** RFC 8693. Returns the access token of the impersonated user. */
  async exchange(subjectToken: string, actorToken: string | undefined): Promise<string> {
    const tokens = await oidc.genericGrantRequest(this.#configuration, TOKEN_EXCHANGE_GRANT_TYPE, {
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      ...(actorToken === undefined
        ? {}
        : { actor_token: actorToken, actor_token_type: ACCESS_TOKEN_TYPE }),
      resource: `${this.#base}/orders`,
      scope: 'orders:read',
    })
    check(tokens.issued_token_type === ACCESS_TOKEN_TYPE, 'what came is not an access token')
    check(!tokens.refresh_token && !tokens.id_token, 'there is more than an access token')
    return tokens.access_token
  }

  /** Expects a refusal as in RFC 8693 §2.2.2. */
  async expectRefusal(
    subjectToken: string,
    actorToken: string | undefined,
    otherwise: string,
  ): Promise<void> {
    try {
      await this.exchange(subjectToken, actorToken)
    } catch (error) {
      if (!(error instanceof oidc.ResponseBodyError)) throw error
      const { status, error: code } = error
      check(
        status === 400 && code === 'invalid_request',
        `the refusal is ${status} ${code}, not 400 invalid_request`,
      )
      return
    }
    check(false, otherwise)
  }

  /** Ends the impersonation of this access token. */
  async end(accessToken: string): Promise<void> {
    const endpoint = this.#configuration.serverMetadata().impersonation_end_endpoint
    const { status } = await fetch(String(endpoint), {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    check(status === 204, `the answer is ${status}, not 204`)
  }

  /** Checks the signature of an access token for the orders API, and returns the claims. */
  async claims(accessToken: string): Promise<JWTPayload> {
    const { issuer, jwks_uri: jwksUri = '' } = this.#configuration.serverMetadata()
    const keys = createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: TIMEOUT_MS })
    const { payload } = await jwtVerify(accessToken, keys, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience: `${this.#base}/orders`,
    })
    return payload
  }
}

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import type { EndOptions, Impersonation, SubjectTokenContext } from 'oidc-provider-impersonation'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { IMPERSONATED_JTI_PREFIX } from 'oidc-provider-impersonation/siblings'
import {
  APPLICATION_CLIENT_ID,
  type AskedFor,
  BACKEND_CLIENT_ID,
  MAX_TOKEN_SECONDS,
  testConfiguration,
} from './configuration.ts'
import { movedClock } from './moved-clock.ts'
import type { TestProviderOptions } from './options.ts'
import { refuseProduction, warnOutsideTests } from './outside-a-test.ts'
import { signIn } from './sign-in.ts'

export type { TestProviderOptions, TestSigningAlgorithm } from './options.ts'

/** An access token that a test asks for. */
export interface TestTokenRequest {
  /** The user: `sub` of the token. Every user exists. */
  readonly userId: string
  /** The resource indicator of the API, an absolute URI: `aud` of the token. */
  readonly resource: string
  /**
   * Scopes, with blanks between them. The resource has every scope.
   * @defaultValue `''`
   */
  readonly scope?: string | undefined
  /**
   * The lifetime of the token, in seconds: an integer from 1 to 3600.
   * @defaultValue `3600`
   */
  readonly expiresIn?: number | undefined
}

/** An impersonation that a test asks for. */
export interface TestImpersonationRequest extends TestTokenRequest {
  /**
   * The operator: `act.sub` of the token.
   * @defaultValue the token names no operator
   */
  readonly actor?: string | undefined
  /**
   * The `context` of `POST /api/subject-tokens`, as `getCustomJwtClaims` gets it.
   * @defaultValue `{}`
   */
  readonly context?: SubjectTokenContext | undefined
}

/** An impersonation that has started. */
export interface TestImpersonation {
  /** The access token, a JWT. */
  readonly accessToken: string
  readonly id: string
  /**
   * Ends it. An API that holds a status list sees it within 8 seconds: see
   * {@link TestProvider.advance}.
   *
   * @param how - `by` and `reason` of the end
   */
  end(how?: EndOptions): Promise<Impersonation | undefined>
}

/**
 * A provider with impersonation for the tests of an API, in memory, on a free port of 127.0.0.1.
 */
export interface TestProvider extends AsyncDisposable {
  /** Its Issuer Identifier, for the `issuer` of a guard: `http://127.0.0.1:<port>`. */
  readonly issuer: string
  /** The provider itself. */
  readonly provider: Provider
  /**
   * Starts an impersonation: issues a subject token, and exchanges it over HTTP.
   *
   * @throws TypeError for an `expiresIn` out of bounds; Error with the provider's response if it
   * refuses
   */
  issueTestImpersonation(request: TestImpersonationRequest): Promise<TestImpersonation>
  /** An access token of the user in person. */
  issueTestToken(request: TestTokenRequest): Promise<string>
  /**
   * Moves the clock of this process on, until {@link close}. It moves `Date`, for the provider and
   * for a guard in the same process, but not timers. A test needs no wait. After an end, call
   * `advance(8)`. To let a token expire, advance by its lifetime and the `clockTolerance` of the
   * guard.
   *
   * @param seconds - 0 or more
   * @throws TypeError for another value; Error after {@link close}
   */
  advance(seconds: number): void
  /** Stops the provider, and restores the clock. */
  close(): Promise<void>
}

/**
 * Starts a provider for tests. It is not for people: every user exists, and there is no sign-in
 * page.
 *
 * It warns (`process.emitWarning`) if `NODE_ENV` is not `test` and no test runner is found.
 *
 * @throws Error if `NODE_ENV` is `production` or `prod`, in upper or lower case
 * @throws TypeError for an unknown option
 */
export async function startTestProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  refuseProduction()
  warnOutsideTests()
  const { signingAlgorithm = 'RS256', getCustomJwtClaims, authorize, ...unknown } = options
  for (const name of Object.keys(unknown))
    throw new TypeError(`options.${name} is not known: leave it out`)
  const server = createServer()
  const issuer = await listen(server)
  let asked: AskedFor = { scope: '', seconds: MAX_TOKEN_SECONDS, signingAlgorithm }
  const provider = new Provider(
    issuer,
    await testConfiguration(issuer, () => asked, {
      getCustomJwtClaims,
      authorize,
      signingAlgorithm,
    }),
  )
  server.on('request', provider.callback())
  const clock = movedClock()

  /** Requests to the provider run one at a time. */
  let queue: Promise<unknown> = Promise.resolve()
  function afterOthers<T>(
    { scope = '', expiresIn = MAX_TOKEN_SECONDS }: TestTokenRequest,
    work: () => Promise<T>,
  ): Promise<T> {
    const done = queue.then(() => {
      if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_TOKEN_SECONDS) {
        throw new TypeError(`expiresIn must be an integer from 1 to ${MAX_TOKEN_SECONDS}`)
      }
      asked = { scope, seconds: expiresIn, signingAlgorithm }
      return work()
    })
    queue = done.catch(() => {})
    return done
  }

  async function exchange(request: TestImpersonationRequest): Promise<TestImpersonation> {
    const { userId, resource, scope = '', actor, context } = request
    const { subjectToken } = await provider.impersonation.issue(
      { userId, resource, ...(context && { context }) },
      { as: BACKEND_CLIENT_ID },
    )
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
        client_id: APPLICATION_CLIENT_ID,
        subject_token: subjectToken,
        subject_token_type: ACCESS_TOKEN_TYPE,
        resource,
        ...(scope && { scope }),
        ...(actor !== undefined && {
          actor_token: await signIn(provider, { accountId: actor, scope: 'openid' }),
          actor_token_type: ACCESS_TOKEN_TYPE,
        }),
      }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`no impersonation: ${answer}`)
    const { access_token: accessToken }: { access_token: string } = JSON.parse(answer)
    const { jti = '' } = decodeJwt(accessToken)
    const id = jti.slice(IMPERSONATED_JTI_PREFIX.length)
    return {
      accessToken,
      id,
      end: (how) => provider.impersonation.end(id, how),
    }
  }

  async function close(): Promise<void> {
    clock.restore()
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  return {
    issuer,
    provider,
    issueTestImpersonation: (request) => afterOthers(request, () => exchange(request)),
    issueTestToken: (request) =>
      afterOthers(request, () =>
        signIn(provider, {
          accountId: request.userId,
          scope: asked.scope,
          resource: { indicator: request.resource, asked },
        }),
      ),
    advance: (seconds) => clock.advance(seconds),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Starts the server and resolves its URL. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A test run ends even if a test forgets close().
  server.unref()
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { Configuration, Provider } from 'oidc-provider'
import { AccessTokenClaims } from './claims/access-token-claims.ts'
import {
  type ConfigurationParts,
  isWired,
  withImpersonation,
  withoutImpersonation,
} from './configuration.ts'
import { checkClassNames } from './host/class-names.ts'
import { configurationOf } from './host/configuration.ts'
import { withholdFromSelfRegistered } from './host/registration.ts'
import { ManagementResourceServer } from './management/machine-tokens.ts'
import { managementRouter } from './management/router.ts'
import { type ResolvedOptions, resolveOptions } from './options/defaults.ts'
import type { ImpersonationOptions } from './public/options.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { tokenExchangeHandler } from './token-exchange/handler.ts'
import { PARAMETERS, REPEATABLE_PARAMETERS } from './token-exchange/request.ts'
import { accessTokenVerifier } from './tokens/access-token.ts'
import { makeReplayDetectionAtomic } from './tokens/replay-detection.ts'
import { defineSubjectToken } from './tokens/subject-token.ts'

/** A Node request listener. With `next` (Express, Connect, middie) requests for other paths go to `next`. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * The parts of impersonation, to build a provider by hand. In this order, for one provider:
 *
 * ```ts
 * const impersonation = new Impersonation({ enabled: true, managementApi: { resource, clients } })
 * const provider = new Provider(issuer, impersonation.configure(configuration))
 * impersonation.register(provider)
 * app.use(impersonation.routes())
 * ```
 *
 * `Provider` of this package does all but the last line.
 */
export class Impersonation {
  readonly #options: ResolvedOptions
  #parts: ConfigurationParts | undefined
  #provider: Provider | undefined
  #routes: Middleware | undefined
  #checkStorage: (() => Promise<void>) | undefined

  /**
   * @param options the value of `features.impersonation`
   * @throws TypeError naming the dotted path of an option that is unknown or wrong
   */
  constructor(options: ImpersonationOptions = {}) {
    this.#options = resolveOptions(options)
  }

  /** Whether anything is added to the provider at all. */
  get enabled(): boolean {
    return this.#options.enabled
  }

  /**
   * Wires impersonation into a provider's configuration and answers the result; the argument
   * stays as it is. It answers for the management API in `getResourceServerInfo`, sets
   * `ttl.SubjectToken`, and runs after the deployment's own `extraTokenClaims` and
   * `formats.customizers.jwt`. It switches no feature on.
   *
   * @throws TypeError where `features.clientCredentials` is not enabled, or
   * `features.resourceIndicators` is disabled
   */
  configure(configuration: Configuration = {}): Configuration {
    const plain = withoutImpersonation(configuration)
    if (!this.enabled) return plain
    if (this.#parts)
      throw new TypeError(
        'configure() was already called: create one Impersonation for each provider',
      )
    this.#parts = {
      claims: new AccessTokenClaims(this.#options, {
        extraTokenClaims: plain.extraTokenClaims,
        jwtCustomizer: plain.formats?.customizers?.jwt,
      }),
      resourceServer: new ManagementResourceServer(this.#options.managementApi, plain),
    }
    return withImpersonation(plain, this.#options, this.#parts)
  }

  /**
   * Registers the token-exchange grant with the provider.
   *
   * @throws TypeError where the provider's configuration did not come out of {@link configure}: it
   * would issue tokens without `act`
   * @throws TypeError where the storage adapter cannot keep single use
   * @throws TypeError where a minifier renamed the classes of oidc-provider
   */
  register(provider: Provider): void {
    if (!this.enabled) return
    checkClassNames(provider)
    if (!this.#parts || !isWired(configurationOf(provider), this.#parts)) {
      throw new TypeError(
        'register(provider) needs a provider that was built from configure(configuration) of the same Impersonation, unchanged: otherwise it would issue impersonated tokens without act',
      )
    }
    if (this.#routes)
      throw new TypeError(
        'register() was already called: create one Impersonation for each provider',
      )

    const { claims, resourceServer } = this.#parts
    const { mayIssueSubjectTokens } = resourceServer
    const options = this.#options
    const subjectTokens = defineSubjectToken(provider, options.subjectToken.singleUse)
    const verifier = accessTokenVerifier(provider, TOKEN_EXCHANGE_GRANT_TYPE)
    claims.issuer = provider.issuer
    this.#provider = provider
    this.#checkStorage = subjectTokens.checkStorage
    resourceServer.use(provider)
    if (options.atomicReplayDetection) makeReplayDetectionAtomic(provider)
    provider.registerGrantType(
      TOKEN_EXCHANGE_GRANT_TYPE,
      tokenExchangeHandler(provider, {
        options,
        subjectTokens,
        verifier,
        claims,
        mayIssueSubjectTokens,
      }),
      PARAMETERS,
      REPEATABLE_PARAMETERS,
    )
    if (!options.allowSelfRegisteredClients) {
      withholdFromSelfRegistered(provider, TOKEN_EXCHANGE_GRANT_TYPE)
    }
    this.#routes = managementRouter(provider, {
      options,
      subjectTokens,
      verifier,
      mayIssueSubjectTokens,
    })
  }

  /**
   * Tries the storage out, with records of its own that it removes: whether it knows the model,
   * finds what was written, lets one of many callers win, keeps `consumed` and lets records expire.
   * Call it at the start, to find an incomplete adapter early. It takes a little over a second.
   * Resolves at once where impersonation is not enabled.
   *
   * @throws TypeError before {@link register}
   * @throws Error whose message is one sentence about what is wrong, with the storage's own error
   * as `cause`
   */
  async check(): Promise<void> {
    if (!this.enabled) return
    if (!this.#checkStorage) throw new TypeError('check() comes after register(provider)')
    await this.#checkStorage()
  }

  /**
   * The management API as Koa middleware, to be used beside the provider or, with
   * `provider.use(…)`, in front of it. Passes everything on where impersonation is not enabled.
   *
   * @throws TypeError before {@link register}
   */
  routes(): Middleware {
    if (!this.enabled) return (_ctx, next) => next()
    if (!this.#routes) throw new TypeError('routes() comes after register(provider)')
    return this.#routes
  }

  /**
   * The management API as a Node request listener, for `http.createServer`, Express or Fastify.
   *
   * @throws TypeError before {@link register}
   */
  callback(): RequestListener {
    const passedOn = new WeakMap<IncomingMessage, () => void>()
    const app = new Koa()
    // The provider's proxy settings as they are now.
    const { proxy, proxyIpHeader, maxIpsCount, subdomainOffset } = this.#provider ?? app
    Object.assign(app, { proxy, proxyIpHeader, maxIpsCount, subdomainOffset })
    app.use(this.routes())
    app.use((ctx) => {
      const passOn = passedOn.get(ctx.req)
      if (!passOn) return
      ctx.respond = false
      passOn()
    })
    const listener = app.callback()
    return (request, response, next) => {
      if (next) {
        const { statusCode } = response
        passedOn.set(request, () => {
          // Koa has set 404: restore the status from before.
          response.statusCode = statusCode
          next()
        })
      }
      listener(request, response)
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { Configuration, Provider } from 'oidc-provider'
import { accessTokenVerifier } from './access-token.ts'
import { AccessTokenClaims } from './claims.ts'
import {
  type ConfigurationParts,
  isWired,
  withImpersonation,
  withoutImpersonation,
} from './configure.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './constants.ts'
import { ManagementResourceServer } from './management/resource-server.ts'
import { managementRouter } from './management/router.ts'
import { configurationOf } from './oidc-provider-internals.ts'
import type { ImpersonationOptions } from './options.ts'
import { type ResolvedOptions, resolveOptions } from './options-defaults.ts'
import { makeReplayDetectionAtomic } from './replay-detection.ts'
import { defineSubjectToken } from './subject-token.ts'
import { tokenExchangeGrant } from './token-exchange/grant.ts'
import { PARAMETERS, REPEATABLE_PARAMETERS } from './token-exchange/request.ts'

/** A Node request listener. With `next` (Express, Connect, middie) it passes on what is not its own. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * The parts of impersonation, for those who build their provider by hand. Three steps, in this
 * order, for one provider:
 *
 * ```ts
 * const impersonation = new Impersonation({ enabled: true, managementApi: { resource } })
 * const provider = new Provider(issuer, impersonation.configure(configuration))
 * impersonation.register(provider)
 * app.use(impersonation.routes())
 * ```
 *
 * `Provider` of this package does the first three.
 */
export class Impersonation {
  readonly #options: ResolvedOptions
  #parts: ConfigurationParts | undefined
  #provider: Provider | undefined
  #routes: Middleware | undefined

  /**
   * @param options what stands under `features.impersonation`
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
   * stays as it is. It switches `features.clientCredentials` and `features.resourceIndicators` on,
   * answers for the management API in `getResourceServerInfo`, sets `ttl.SubjectToken`, and runs
   * after the deployment's own `extraTokenClaims` and `formats.customizers.jwt`.
   *
   * @throws TypeError where the configuration switches off what impersonation needs
   */
  configure(configuration: Configuration = {}): Configuration {
    const plain = withoutImpersonation(configuration)
    if (!this.enabled) return plain
    if (this.#parts) throw new TypeError('one Impersonation configures one provider')
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
   */
  register(provider: Provider): void {
    if (!this.enabled) return
    if (!this.#parts || !isWired(configurationOf(provider), this.#parts)) {
      throw new TypeError(
        'register(provider) needs a provider that was built from configure(configuration) of the same Impersonation, unchanged: otherwise it would issue impersonated tokens without act',
      )
    }
    if (this.#routes) throw new TypeError('one Impersonation registers with one provider')

    const { claims, resourceServer } = this.#parts
    const { mayCall } = resourceServer
    const options = this.#options
    const subjectTokens = defineSubjectToken(provider, options.subjectToken.singleUse)
    const verifier = accessTokenVerifier(provider, TOKEN_EXCHANGE_GRANT_TYPE)
    claims.issuer = provider.issuer
    this.#provider = provider
    resourceServer.use(provider)
    makeReplayDetectionAtomic(provider)
    provider.registerGrantType(
      TOKEN_EXCHANGE_GRANT_TYPE,
      tokenExchangeGrant(provider, { options, subjectTokens, verifier, claims, mayCall }),
      PARAMETERS,
      REPEATABLE_PARAMETERS,
    )
    this.#routes = managementRouter(provider, {
      options,
      subjectTokens,
      verifier,
      mayCall,
    })
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
    // Behind the same proxy as the provider.
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
          // Koa starts from 404.
          response.statusCode = statusCode
          next()
        })
      }
      listener(request, response)
    }
  }
}

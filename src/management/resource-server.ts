import {
  type AsymmetricSigningAlgorithm,
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from 'oidc-provider'
import { SIGNING_ALGORITHMS } from '../jwt-access-token.ts'
import { canSign, configurationOf, isStaticClient } from '../oidc-provider-internals.ts'
import type { ResolvedOptions } from '../options-defaults.ts'

/** oidc-provider's `features.resourceIndicators.getResourceServerInfo`. */
export type GetResourceServerInfo = (
  ctx: KoaContextWithOIDC,
  resourceIndicator: string,
  client: Client,
) => Promise<ResourceServer> | ResourceServer

/** The management API as a resource server of the provider: who gets a token for it, and which. */
export class ManagementResourceServer {
  readonly #options: ResolvedOptions['managementApi']
  readonly #own: GetResourceServerInfo | undefined
  readonly #selfRegistration: boolean
  #signingAlgorithm: AsymmetricSigningAlgorithm | undefined

  constructor(options: ResolvedOptions['managementApi'], configuration: Configuration) {
    const { features } = configuration
    this.#options = options
    this.#own = features?.resourceIndicators?.getResourceServerInfo
    this.#selfRegistration =
      features?.registration?.enabled === true ||
      features?.clientIdMetadataDocument?.enabled === true
  }

  /**
   * Settles which of the provider's keys signs machine-to-machine tokens.
   * @throws TypeError where they are JWTs and no key can sign one.
   */
  use(provider: Provider): void {
    if (this.#options.tokenFormat !== 'jwt') return
    const preferred = configurationOf(provider).clientDefaults?.id_token_signed_response_alg
    const candidates = SIGNING_ALGORITHMS.filter((alg) => canSign(provider, alg))
    this.#signingAlgorithm = candidates.find((alg) => alg === preferred) ?? candidates[0]
    if (!this.#signingAlgorithm) {
      throw new TypeError(
        "no key in jwks can sign tokens for the management API; add one, or set features.impersonation.managementApi.tokenFormat to 'opaque'",
      )
    }
  }

  /** Whether a client may use the management API at all. */
  readonly mayCall = (client: Client): boolean => {
    if (this.#options.clients) return this.#options.clients.includes(client.clientId)
    // A client that is restricted to some scopes is not the one for this.
    if (client.scope !== undefined && !client.scope.split(' ').includes(this.#options.scope)) {
      return false
    }
    // Where anybody can register a client, being one must not suffice to impersonate users.
    return !this.#selfRegistration || isStaticClient(client)
  }

  /** The deployment's own `getResourceServerInfo`, with the management API added. */
  readonly getResourceServerInfo: GetResourceServerInfo = async (ctx, resource, client) => {
    if (resource !== this.#options.resource) {
      const info = await this.#own?.(ctx, resource, client)
      // Nor may another resource pass for the management API.
      if (!info || info.audience === this.#options.resource) throw new errors.InvalidTarget()
      return info
    }
    // Never a user's token: only a client's own, and only through client_credentials.
    const { route, params } = ctx.oidc
    if (route !== 'token' || params?.grant_type !== 'client_credentials' || !this.mayCall(client)) {
      throw new errors.InvalidTarget()
    }
    const { scope, tokenTtl, tokenFormat } = this.#options
    return {
      scope,
      audience: resource,
      accessTokenTTL: tokenTtl,
      accessTokenFormat: tokenFormat,
      ...(this.#signingAlgorithm ? { jwt: { sign: { alg: this.#signingAlgorithm } } } : {}),
    }
  }
}

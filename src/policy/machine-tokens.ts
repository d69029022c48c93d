import {
  type AsymmetricSigningAlgorithm,
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import { END_SCOPE, READ_SCOPE } from '../shared/constants.ts'
import { signingAlgorithm } from '../tokens/signing.ts'
import { isPublic, type MayClient, mayClient } from './clients.ts'

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
  /** What can be done at the management API, and which clients may. */
  readonly rights: ManagementRights
  #canEnd = false
  #signingAlgorithm: AsymmetricSigningAlgorithm | undefined

  constructor(options: ResolvedOptions['managementApi'], configuration: Configuration) {
    this.#options = options
    this.#own = configuration.features?.resourceIndicators?.getResourceServerInfo
    const right = (action: keyof ManagementRights, scope: string): Right => ({
      action,
      scope,
      may: mayClient(
        options.clients[action],
        `features.impersonation.managementApi.clients.${action}`,
      ),
    })
    this.rights = {
      issue: right('issue', options.scope),
      read: right('read', READ_SCOPE),
      end: right('end', END_SCOPE),
    }
  }

  /**
   * Settles which of the provider's keys signs machine-to-machine tokens, and whether there is
   * anything to see and to end.
   * @throws TypeError where they are JWTs and no key can sign one.
   */
  use(provider: Provider, { canEnd }: { readonly canEnd: boolean }): void {
    this.#canEnd = canEnd
    if (this.#options.tokenFormat !== 'jwt') return
    this.#signingAlgorithm = signingAlgorithm(provider)
    if (!this.#signingAlgorithm) {
      throw new TypeError(
        "no key in jwks can sign tokens for the management API; add one, or set features.impersonation.managementApi.tokenFormat to 'opaque'",
      )
    }
  }

  /** The deployment's own `getResourceServerInfo`, with the management API added. */
  readonly getResourceServerInfo: GetResourceServerInfo = async (ctx, resource, client) => {
    if (resource !== this.#options.resource) {
      // As the provider's own default does.
      if (!this.#own) throw new errors.InvalidTarget()
      const info = await this.#own(ctx, resource, client)
      // Another resource must not be taken for the management API.
      if (info?.audience === this.#options.resource) throw new errors.InvalidTarget()
      return info
    }
    // Never a user's token: only a client's own, and only through client_credentials.
    const { route, params } = ctx.oidc
    if (route !== 'token' || params?.grant_type !== 'client_credentials') {
      throw new errors.InvalidTarget()
    }
    const scopes = await this.askScopes(client, params.scope)
    if (scopes.length === 0) throw notNamed(client)
    const { tokenTtl, tokenFormat } = this.#options
    return {
      scope: scopes.join(' '),
      audience: resource,
      accessTokenTTL: tokenTtl,
      accessTokenFormat: tokenFormat,
      ...(this.#signingAlgorithm ? { jwt: { sign: { alg: this.#signingAlgorithm } } } : {}),
    }
  }

  /**
   * The scopes of what the client is named for. What it asks for comes first, and is enough: a
   * function of the deployment that fails then concerns no client that asks for something else.
   */
  async askScopes(client: Client, asked: unknown): Promise<string[]> {
    const { issue, read, end } = this.rights
    const offered = this.#canEnd ? [issue, read, end] : [issue]
    const names = String(asked ?? '').split(' ')
    const wanted = offered.filter(({ scope }) => names.includes(scope))
    const scopes = await scopesNamed(wanted, client)
    return scopes.length > 0
      ? scopes
      : scopesNamed(
          offered.filter((right) => !wanted.includes(right)),
          client,
        )
  }
}

async function scopesNamed(rights: readonly Right[], client: Client): Promise<string[]> {
  const scopes = await Promise.all(
    rights.map(async ({ scope, may }) => ((await may(client)) ? [scope] : [])),
  )
  return scopes.flat()
}

/** One thing that can be done at the management API. */
export interface Right {
  readonly action: keyof ManagementRights
  /** The scope that a machine-to-machine token needs for it. */
  readonly scope: string
  /** Whether a client is named for it. */
  readonly may: MayClient
}

/** Everything that can be done at the management API. */
export interface ManagementRights {
  readonly issue: Right
  readonly read: Right
  readonly end: Right
}

/**
 * The client gets this message about itself. The message does not reveal the answer of a function.
 */
function notNamed(client: Client): errors.InvalidTarget {
  return new errors.InvalidTarget(
    isPublic(client)
      ? 'a client that does not authenticate (token_endpoint_auth_method none) gets no token for the management API'
      : "this client is not one that the provider's option managementApi.clients names for the management API",
  )
}

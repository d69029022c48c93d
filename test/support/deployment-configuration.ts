import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Middleware } from 'koa'
import {
  type ClientMetadata,
  type Configuration,
  errors,
  type Provider as OidcProvider,
} from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationOptions, ProviderConfiguration } from '../../src/index.ts'
import { CLIENTS } from './clients.ts'

/** Grants everybody what is asked for, except at one client. */
export function grantingAllBut(clientId?: string): Configuration['loadExistingGrant'] {
  return async ({ oidc: { client, params, provider, session } }) => {
    if (clientId && client?.clientId === clientId) return undefined
    const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
    grant.addOIDCScope('openid offline_access')
    if (typeof params?.resource === 'string') {
      grant.addResourceScope(params.resource, String(params.scope))
    }
    await grant.save()
    return grant
  }
}

/** A key pair made once for the whole run; tests that need others make their own. */
export const signingKey: JWK = {
  ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)),
  kid: 'test',
  alg: 'ES256',
  use: 'sig',
}

type Features = Pick<
  NonNullable<Configuration['features']>,
  | 'clientCredentials'
  | 'clientIdMetadataDocument'
  | 'dPoP'
  | 'encryption'
  | 'mTLS'
  | 'registration'
  | 'registrationManagement'
  | 'resourceIndicators'
  | 'rpInitiatedLogout'
>

export interface DeploymentOptions {
  adapter?: Configuration['adapter']
  impersonation?: Partial<ImpersonationOptions> | undefined
  configuration?: Omit<Configuration, 'features'> & { features?: Features }
  clients?: ClientMetadata[] | undefined
  /** Accounts that exist; tests may change the set at any time. */
  accounts?: Set<string>
  /** A text is the scope of an API whose tokens are signed. */
  resources?: Record<string, object | string> | undefined
  /** In front of everything. */
  middleware?: Middleware
  /** Makes the provider, instead of the drop-in. */
  make?: (issuer: string, configuration: ProviderConfiguration) => OidcProvider
}

/** The configuration of every test deployment at `base`, overridden by `options`. */
export function deploymentConfiguration(
  base: string,
  accounts: ReadonlySet<string>,
  options: DeploymentOptions,
): ProviderConfiguration {
  const resources: Record<string, object | string> = {
    [`${base}/orders`]: { ...signed('openid orders:read orders:write'), accessTokenTTL: 900 },
    [`${base}/opaque`]: { scope: 'openid orders:read', accessTokenFormat: 'opaque' },
    ...options.resources,
  }
  const { adapter = createMemoryAdapter(), configuration = {}, clients = [] } = options
  return {
    adapter,
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['test'] },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 3600,
      Grant: 3600,
      IdToken: 3600,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 600,
      Interaction: 3600,
      Session: 3600,
      RefreshToken: 3600,
    },
    findAccount: (_ctx, sub) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub }) } : undefined,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: grantingAllBut(),
    ...configuration,
    clients: [...CLIENTS, ...clients],
    features: {
      clientCredentials: { enabled: true },
      ...configuration.features,
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        getResourceServerInfo(_ctx, resource) {
          const info = resources[resource]
          if (!info) throw new errors.InvalidTarget()
          return typeof info === 'string' ? signed(info) : { scope: '', ...info }
        },
        ...configuration.features?.resourceIndicators,
      },
      impersonation: {
        enabled: true,
        ...options.impersonation,
        managementApi: {
          resource: `${base}/api`,
          // By default, every client may issue.
          clients: { issue: () => true },
          ...options.impersonation?.managementApi,
        },
      },
    },
  }
}

const signed = (scope: string) => ({
  scope,
  accessTokenFormat: 'jwt' as const,
  jwt: { sign: { alg: 'ES256' as const } },
})

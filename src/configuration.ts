import type { Configuration } from 'oidc-provider'
import { accessTokenClaims } from './claims/claims.ts'
import { loadExistingGrant as loadByDefault } from './host/instance.ts'
import type { ResolvedOptions } from './options/defaults.ts'
import { isNamed } from './policy/clients.ts'
import { withManagementApi } from './policy/management-api.ts'
import { DEFAULT_SUBJECT_TOKEN_TTL, MAX_SUBJECT_TOKEN_TTL } from './shared/constants.ts'

/** The parts that impersonation adds to a provider's configuration. */
export type Configured = ReturnType<typeof withImpersonation>

/** A copy of the configuration without `features.impersonation`, which the provider rejects. */
export function withoutImpersonation(configuration: Configuration): Configuration {
  if (!configuration.features || !('impersonation' in configuration.features)) return configuration
  const { impersonation: _, ...features } = configuration.features
  return { ...configuration, features }
}

/**
 * Copies the configuration with impersonation wired in.
 *
 * @throws TypeError if the deployment disabled a feature that impersonation needs
 */
export function withImpersonation(configuration: Configuration, options: ResolvedOptions) {
  const { features, formats, ttl } = configuration
  // This package does not switch the feature on: every client that lists the grant could then use
  // it. With dynamic registration, any unknown client could list it.
  if (!features?.clientCredentials?.enabled) {
    throw new TypeError(
      'features.clientCredentials.enabled must be true where features.impersonation is enabled: machine clients get their tokens by that grant. Write features: { clientCredentials: { enabled: true } }, and see that no client has the grant that should not',
    )
  }
  // On by default in oidc-provider.
  if (features.resourceIndicators?.enabled === false) {
    throw new TypeError(
      'features.resourceIndicators.enabled must not be false where features.impersonation is enabled: leave it out, or write true',
    )
  }
  const claims = accessTokenClaims(options, configuration)
  const getResourceServerInfo = withManagementApi(options.managementApi, configuration)
  const wired: Configuration = {
    ...configuration,
    ...applicationGrants(configuration, options),
    extraTokenClaims: claims.extraTokenClaims,
    formats: {
      ...formats,
      customizers: { ...formats?.customizers, jwt: claims.customizeJwt },
    },
    ttl: {
      ...ttl,
      SubjectToken: subjectTokenTtl(configuration),
      ...managementTokenTtl(configuration, options),
    },
    features: {
      ...features,
      resourceIndicators: {
        ...features.resourceIndicators,
        getResourceServerInfo,
      },
    },
  }
  // Without one of the deployment's own, no exchange succeeds.
  const knowsApis = features.resourceIndicators?.getResourceServerInfo !== undefined
  return { configuration: wired, claims, getResourceServerInfo, knowsApis }
}

/** Marks a configuration that {@link withImpersonation} returned. */
export function isWired(
  configuration: Configuration,
  { claims, getResourceServerInfo }: Configured,
): boolean {
  const { extraTokenClaims, formats, features } = configuration
  return (
    extraTokenClaims === claims.extraTokenClaims &&
    formats?.customizers?.jwt === claims.customizeJwt &&
    features?.resourceIndicators?.getResourceServerInfo === getResourceServerInfo
  )
}

/**
 * Grants the applications of operators `openid` without a question, in addition to their grant. An
 * application that sends `prompt=none` would otherwise get `consent_required`. A deployment that
 * names no application keeps its own function, or the provider's.
 */
function applicationGrants(
  { loadExistingGrant = loadByDefault }: Configuration,
  { applications }: ResolvedOptions,
): Pick<Configuration, 'loadExistingGrant'> {
  if (typeof applications !== 'function' && applications.length === 0) return {}
  return {
    async loadExistingGrant(ctx) {
      const { client, provider, session } = ctx.oidc
      const existing = await loadExistingGrant(ctx)
      const accountId = session?.accountId
      if (!client || !accountId) return existing
      if (!(await isNamed(client, applications, 'features.impersonation.applications')))
        return existing
      const grant = existing ?? new provider.Grant({ clientId: client.clientId, accountId })
      // The provider refuses another's grant. Nothing is written into it.
      if (grant.accountId !== accountId || grant.clientId !== client.clientId) return grant
      // A consent page that makes a grant of its own leaves out scopes that it was not asked for.
      if (grant.getOIDCScopeFiltered(new Set(['openid'])) !== 'openid') {
        grant.addOIDCScope('openid')
        await grant.save()
      }
      return grant
    },
  }
}

function subjectTokenTtl({ ttl }: Configuration): unknown {
  const own = ttl?.SubjectToken
  if (own === undefined) return DEFAULT_SUBJECT_TOKEN_TTL
  if (typeof own === 'function') {
    return (...args: unknown[]) => {
      const answer: unknown = own(...args)
      return typeof answer === 'number' ? Math.min(answer, MAX_SUBJECT_TOKEN_TTL) : answer
    }
  }
  if (typeof own === 'number' && own > MAX_SUBJECT_TOKEN_TTL) {
    throw new TypeError(`ttl.SubjectToken must be at most ${MAX_SUBJECT_TOKEN_TTL} seconds`)
  }
  return own
}

/** Keeps a deployment's own `ttl.ClientCredentials`, except for tokens of the management API. */
function managementTokenTtl(
  { ttl }: Configuration,
  { managementApi: { resource, tokenTtl } }: ResolvedOptions,
): Configuration['ttl'] {
  const own = ttl?.ClientCredentials
  if (own === undefined) return {}
  return {
    ClientCredentials: (ctx, token, client) => {
      if (token.aud === resource) return tokenTtl
      return typeof own === 'function' ? own(ctx, token, client) : own
    },
  }
}

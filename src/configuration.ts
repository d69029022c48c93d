import type { Configuration } from 'oidc-provider'
import { accessTokenClaims } from './claims/claims.ts'
import type { ResolvedOptions } from './options/defaults.ts'
import { withApplicationGrants } from './policy/applications.ts'
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

/** A deployment that names no application keeps its own function, or the provider's. */
function applicationGrants(
  { loadExistingGrant }: Configuration,
  { applications }: ResolvedOptions,
): Pick<Configuration, 'loadExistingGrant'> {
  if (typeof applications !== 'function' && applications.length === 0) return {}
  return { loadExistingGrant: withApplicationGrants(applications, loadExistingGrant) }
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

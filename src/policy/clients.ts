import {
  type Client,
  type Configuration,
  errors,
  type Grant,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from 'oidc-provider'
import { configurationOf } from '../host/instance.ts'
import { optionsOf, type ResolvedOptions } from '../options/defaults.ts'
import type { ClientRule } from '../public/options.ts'
import { END_SCOPE, READ_SCOPE } from '../shared/constants.ts'
import { signingAlgorithm } from '../tokens/signing.ts'
import { endingAdapterOf } from '../tokens/subject-token.ts'

/** What can be done at the management API. */
export type Action = 'issue' | 'read' | 'end'

/** The scope that a machine-to-machine token needs for it. */
export function scopeFor(provider: Provider, action: Action): string {
  if (action === 'issue') return optionsOf.of(provider).managementApi.scope
  return action === 'read' ? READ_SCOPE : END_SCOPE
}

/**
 * Whether a client may do one thing at the management API: it is named for it, it has the
 * `client_credentials` grant, and it authenticates.
 *
 * @throws Error where the deployment's function fails or answers no boolean (fail closed, I9)
 */
export async function mayClient(
  provider: Provider,
  action: Action,
  client: Client,
): Promise<boolean> {
  // RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients."
  if (isPublic(client) || !client.grantTypeAllowed('client_credentials')) return false
  const rule = optionsOf.of(provider).managementApi.clients[action]
  return isNamed(client, rule, `features.impersonation.managementApi.clients.${action}`)
}

/** Whether a client authenticates by its id alone, which is public. */
export function isPublic(client: Client): boolean {
  return client.clientAuthMethod === 'none'
}

/**
 * Whether a rule names a client. It throws as {@link mayClient} does.
 *
 * @param path of the option that the rule stands in, for errors
 */
export async function isNamed(client: Client, rule: ClientRule, path: string): Promise<boolean> {
  if (typeof rule !== 'function') return rule.includes(client.clientId)
  let answer: unknown
  try {
    answer = await rule(client)
  } catch (cause) {
    throw new Error(`${path} failed`, { cause })
  }
  if (typeof answer === 'boolean') return answer
  throw new Error(`${path} must answer true or false, or a promise of one`)
}

/** @throws TypeError where machine-to-machine tokens are JWTs and no key can sign one */
export function requireMachineTokenKey(provider: Provider): void {
  const { tokenFormat } = optionsOf.of(provider).managementApi
  if (tokenFormat === 'opaque' || signingAlgorithm(provider)) return
  throw new TypeError(
    "no key in jwks can sign tokens for the management API; add one, or set features.impersonation.managementApi.tokenFormat to 'opaque'",
  )
}

/** oidc-provider's `features.resourceIndicators.getResourceServerInfo`. */
export type GetResourceServerInfo = (
  ctx: KoaContextWithOIDC,
  resourceIndicator: string,
  client: Client,
) => Promise<ResourceServer> | ResourceServer

/** Those that know the management API alone: every exchange is refused. */
const knowNoApi = new WeakSet<GetResourceServerInfo>()

/** Whether the deployment has a `getResourceServerInfo` of its own, without which no exchange succeeds. */
export function knowsApis(provider: Provider): boolean {
  const find = configurationOf(provider).features?.resourceIndicators?.getResourceServerInfo
  return find !== undefined && !knowNoApi.has(find)
}

/** The deployment's own `getResourceServerInfo`, with the management API added. */
export function withManagementApi(
  { resource, tokenTtl, tokenFormat }: ResolvedOptions['managementApi'],
  { features }: Configuration,
): GetResourceServerInfo {
  const own = features?.resourceIndicators?.getResourceServerInfo

  const find: GetResourceServerInfo = async (ctx, asked, client) => {
    if (asked !== resource) {
      // As the provider's own default does.
      if (!own) throw new errors.InvalidTarget()
      const info = await own(ctx, asked, client)
      // Another resource must not be taken for the management API.
      if (info?.audience === resource) throw new errors.InvalidTarget()
      return info
    }
    // Never a user's token: only a client's own, and only through client_credentials.
    const { provider, route, params } = ctx.oidc
    if (route !== 'token' || params?.grant_type !== 'client_credentials') {
      throw new errors.InvalidTarget()
    }
    const scopes = await machineScopes(provider, client, params.scope)
    if (scopes.length === 0) throw notNamed(client)
    const alg = tokenFormat === 'jwt' ? signingAlgorithm(provider) : undefined
    return {
      scope: scopes.join(' '),
      audience: resource,
      accessTokenTTL: tokenTtl,
      accessTokenFormat: tokenFormat,
      ...(alg ? { jwt: { sign: { alg } } } : {}),
    }
  }
  if (!own) knowNoApi.add(find)
  return find
}

/**
 * The scopes of what a client is named for. What it asks for comes first, and is enough: a
 * function of the deployment that fails then concerns no client that asks for something else.
 */
async function machineScopes(
  provider: Provider,
  client: Client,
  asked: unknown,
): Promise<readonly string[]> {
  const offered: readonly Action[] = endingAdapterOf.find(provider)
    ? ['issue', 'read', 'end']
    : ['issue']
  const names = String(asked ?? '').split(' ')
  const { true: wanted = [], false: others = [] } = Object.groupBy(offered, (action) =>
    String(names.includes(scopeFor(provider, action))),
  )
  for (const actions of [wanted, others]) {
    const may = await Promise.all(actions.map((action) => mayClient(provider, action, client)))
    const scopes = actions.flatMap((action, n) => (may[n] ? [scopeFor(provider, action)] : []))
    if (scopes.length > 0) return scopes
  }
  return []
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

export type LoadExistingGrant = NonNullable<Configuration['loadExistingGrant']>

/**
 * Gives the applications of operators `openid` without a question, beside what their grant has. An
 * application that asks with `prompt=none` who is signed in would be answered `consent_required`.
 *
 * @param own the deployment's function
 */
export function withApplicationGrants(
  applications: ClientRule,
  own: LoadExistingGrant = existingGrant,
): LoadExistingGrant {
  return async (ctx) => {
    const { client, provider, session } = ctx.oidc
    const existing = await own(ctx)
    const accountId = session?.accountId
    if (!client || !accountId) return existing
    if (!(await isNamed(client, applications, 'features.impersonation.applications')))
      return existing
    const grant = existing ?? new provider.Grant({ clientId: client.clientId, accountId })
    // The provider refuses another's grant. Nothing is written into it.
    if (grant.accountId !== accountId || grant.clientId !== client.clientId) return grant
    // A consent page that makes a grant of its own leaves out what it was not asked for.
    if (grant.getOIDCScopeFiltered(new Set(['openid'])) !== 'openid') {
      grant.addOIDCScope('openid')
      await grant.save()
    }
    return grant
  }
}

/** What oidc-provider does by default. */
async function existingGrant({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, provider, result, session } = oidc
  const id = result?.consent?.grantId ?? (client && session?.grantIdFor(client.clientId))
  return id ? provider.Grant.find(id) : undefined
}

import type { Provider } from 'oidc-provider'
import { hasRecorders } from './events/recorders.ts'
import {
  configurationOf,
  isDevelopmentAdapter,
  publicKeys,
  staticClients,
} from './host/provider-configuration.ts'
import type { ResolvedOptions } from './options/defaults.ts'
import { mayClient } from './policy/clients.ts'
import type { ChecklistItem } from './public/checklist.ts'
import type { ImpersonationEvents } from './public/events.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'

/** The key that oidc-provider signs with where a deployment has none: anyone can read it. */
const DEVELOPMENT_KEY = 'keystore-CHANGE-ME'

/** What a log of impersonations cannot do without. */
const KEPT_EVENTS: ReadonlyArray<keyof ImpersonationEvents> = [
  'impersonation.issued',
  'impersonation.granted',
  'impersonation.replayed',
  'impersonation.ended',
]

/** How long an access token may live that cannot be ended, in seconds. */
const WITHOUT_END = 900

interface Seen {
  readonly options: ResolvedOptions
  readonly canEnd: boolean
  readonly opaqueResources: readonly string[]
}

/** What a provider can tell of going to production: docs/production.md has the same lines. */
export async function checklist(
  provider: Provider,
  { options, canEnd, opaqueResources }: Seen,
): Promise<readonly ChecklistItem[]> {
  const { managementApi, accessToken, actorToken, limits, subjectToken } = options
  const { cookies } = configurationOf(provider)
  const signing = publicKeys(provider).keys
  const cookieKeys = cookies?.keys ?? []
  const ownsKeys =
    signing.every(({ kid }) => kid !== DEVELOPMENT_KEY) &&
    !(Array.isArray(cookieKeys) && cookieKeys.length === 0)
  const unbound = ['mayAct', 'resource', 'scope', 'expiresIn'].filter(
    (member) => !managementApi.requireBinding.some((required) => required === member),
  )
  const unfit = await unfitMachines(provider, options)
  const unboundClients = staticClients(provider)
    .filter(
      (client) =>
        client.token_endpoint_auth_method === 'none' &&
        client.grant_types?.includes(TOKEN_EXCHANGE_GRANT_TYPE) &&
        !client.dpop_bound_access_tokens,
    )
    .map((client) => client.client_id)
  const isShared =
    subjectToken.singleUse === 'adapter' && !isDevelopmentAdapter(provider.AccessToken.adapter)
  const unheard = KEPT_EVENTS.filter((name) => provider.listenerCount(name) === 0).join(', ')
  const line = (item: string, ok: boolean, what: string): ChecklistItem => ({
    item,
    ok,
    todo: ok ? '' : what,
  })
  return [
    line(
      'Single use is kept by the storage adapter',
      isShared,
      'use an adapter with consumeOnce, that all processes share',
    ),
    line(
      'Impersonations can be seen and ended',
      canEnd,
      'use an adapter with list and endOnce, and lifecycle.enabled: true',
    ),
    line(
      'A policy says who may act as whom',
      options.authorize !== undefined,
      'set authorize, and refuse protected people first',
    ),
    line(
      'Every subject token is bound',
      unbound.length === 0,
      `add to managementApi.requireBinding: ${unbound.join(', ')}`,
    ),
    line(
      'An operator is signed in at the exchange',
      actorToken.required,
      'set actorToken.required: true, unless jobs act without an operator',
    ),
    line(
      'Access tokens are short where they cannot be ended',
      canEnd || accessToken.maxTtl <= WITHOUT_END,
      `set accessToken.maxTtl to ${WITHOUT_END} or less; it is ${accessToken.maxTtl}`,
    ),
    line(
      'APIs read who acts in the token itself',
      opaqueResources.length === 0,
      `set accessTokenFormat: 'jwt', or have these APIs ask introspection: ${opaqueResources.join(', ')}`,
    ),
    line(
      'Requests are limited, for each client and each operator',
      limits.issue !== undefined && limits.issuePerActor !== undefined,
      'set limits.issue and limits.issuePerActor',
    ),
    line(
      'The clients that issue exist and authenticate',
      unfit.length === 0,
      `register for client_credentials, with a secret or a key: ${unfit.join(', ')}`,
    ),
    line(
      'Public clients that exchange are bound by DPoP',
      unboundClients.length === 0,
      `set dpop_bound_access_tokens: true for ${unboundClients.join(', ')}`,
    ),
    line(
      'The issuer is https',
      new URL(provider.issuer).protocol === 'https:',
      `serve ${provider.issuer} by https`,
    ),
    line(
      'Signing keys and cookie keys are your own',
      ownsKeys,
      'set jwks and cookies.keys, from a secret store',
    ),
    line(
      'Events are kept',
      unheard === '' || hasRecorders(provider),
      `listen to ${unheard}, or mount the console`,
    ),
    line(
      'Errors are heard',
      provider.listenerCount('server_error') > 0,
      'listen to server_error: its cause stands nowhere else',
    ),
  ]
}

/** The clients that `managementApi.clients` names to issue, and that cannot. */
async function unfitMachines(
  provider: Provider,
  { managementApi }: ResolvedOptions,
): Promise<readonly string[]> {
  const rule = managementApi.clients.issue
  if (typeof rule === 'function') return []
  const may = mayClient(rule, 'managementApi.clients')
  const found = await Promise.all(
    rule.map(async (id) => {
      const client = await provider.Client.find(id)
      return client !== undefined && (await may(client))
    }),
  )
  return rule.filter((_, index) => !found[index])
}

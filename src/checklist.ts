import type { Provider } from 'oidc-provider'
import { hasRecorders } from './events/trail.ts'
import {
  configurationOf,
  isDevelopmentAdapter,
  publicKeys,
  staticClients,
} from './host/instance.ts'
import type { ResolvedOptions } from './options/defaults.ts'
import { mayClient } from './policy/clients.ts'
import type { ImpersonationEvents } from './public/events.ts'
import type { ChecklistItem } from './public/objects.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { issuerUri, STATUS_LISTS_PATH } from './shared/uris.ts'

/** The key that oidc-provider signs with where a deployment has none: anyone can read it. */
const DEVELOPMENT_KEY = 'keystore-CHANGE-ME'

/** What a log of impersonations cannot do without. */
const KEPT_EVENTS: ReadonlyArray<keyof ImpersonationEvents> = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
]

/** How long an access token may live that cannot be ended, in seconds. */
const WITHOUT_END = 900

interface Seen {
  readonly options: ResolvedOptions
  readonly canEnd: boolean
  readonly opaqueResources: readonly string[]
  /** The ids of clients that act which are ids of accounts, too. */
  readonly sameIds: readonly string[]
}

/** What a provider can tell of going to production: docs/production.md has the same lines. */
export async function checklist(
  provider: Provider,
  { options, canEnd, opaqueResources, sameIds }: Seen,
): Promise<readonly ChecklistItem[]> {
  const { managementApi, accessToken, actorToken, rateLimits, subjectToken } = options
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
  return [
    item(
      'single_use',
      isShared,
      'Single use is kept by the storage adapter',
      'use an adapter with consumeOnce, that all processes share',
    ),
    item(
      'ending',
      canEnd,
      'Impersonations can be seen and ended',
      'use an adapter with list and endOnce, and ending.enabled: true',
    ),
    item(
      'policy',
      options.authorize !== undefined,
      'A policy says who may act as whom',
      'set authorize, and refuse protected people first',
    ),
    item(
      'binding',
      unbound.length === 0,
      'Every subject token is bound',
      `add to managementApi.requireBinding: ${unbound.join(', ')}`,
    ),
    item(
      'actor_token',
      actorToken.required,
      'An operator is signed in at the exchange',
      'set actorToken.required: true, unless jobs act without an operator',
    ),
    item(
      'lifetime',
      canEnd || accessToken.maxTtl <= WITHOUT_END,
      'Access tokens are short where they cannot be ended',
      `set accessToken.maxTtl to ${WITHOUT_END} or less; it is ${accessToken.maxTtl}`,
    ),
    item(
      'token_format',
      opaqueResources.length === 0,
      'APIs read who acts in the token itself',
      `set accessTokenFormat: 'jwt', or have these APIs ask introspection: ${opaqueResources.join(', ')}`,
    ),
    item(
      'rate_limits',
      rateLimits.issue !== undefined && rateLimits.issuePerActor !== undefined,
      'Requests are limited, for each client and each operator',
      'set rateLimits.issue and rateLimits.issuePerActor',
    ),
    item(
      'clients',
      unfit.length === 0,
      'The clients that issue exist and authenticate',
      `register for client_credentials, with a secret or a key: ${unfit.join(', ')}`,
    ),
    item(
      'dpop',
      unboundClients.length === 0,
      'Public clients that exchange are bound by DPoP',
      `set dpop_bound_access_tokens: true for ${unboundClients.join(', ')}`,
    ),
    item(
      'issuer',
      new URL(provider.issuer).protocol === 'https:',
      'The issuer is https',
      `serve ${provider.issuer} by https: tokens and keys go to other machines in the clear`,
    ),
    item(
      'keys',
      ownsKeys,
      'Signing keys and cookie keys are your own',
      'set jwks and cookies.keys, from a secret store',
    ),
    item(
      'events',
      unheard === '' || hasRecorders(provider),
      'Events are kept',
      `listen to ${unheard}, or mount the console`,
    ),
    item(
      'errors',
      provider.listenerCount('server_error') > 0,
      'Errors are heard',
      'listen to server_error: its cause stands nowhere else',
    ),
    item(
      'namesakes',
      sameIds.length === 0,
      'No software that acts has the id of an account',
      `give these clients of softwareActors, or these accounts, another id: ${sameIds.join(', ')}`,
    ),
  ]
}

function item(id: ChecklistItem['id'], ok: boolean, has: string, todo: string): ChecklistItem {
  return { id, ok, message: ok ? has : todo }
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

const TIMEOUT_MS = 1000

/**
 * What answers at the address of the provider: its discovery document, and its status lists. No answer
 * says nothing, since the server may start later.
 *
 * @param servesLists whether the provider serves status lists
 */
export async function addressItems(
  issuer: string,
  { servesLists }: { readonly servesLists: boolean },
): Promise<readonly ChecklistItem[]> {
  const url = issuerUri(issuer, '/.well-known/openid-configuration')
  const discovery = await loadJson(url)
  const isOurs = discovery?.body.issuer === issuer
  const listsUrl = issuerUri(issuer, STATUS_LISTS_PATH)
  const lists = servesLists && isOurs ? await loadJson(listsUrl) : undefined
  return [
    item(
      'discovery',
      isOurs || discovery === undefined,
      'The discovery document is served at the issuer',
      `mount the provider at the path of its issuer: ${url} answers ${discovery?.status}, and not with the discovery document of this provider`,
    ),
    item(
      'status_lists',
      lists === undefined || Array.isArray(lists.body.status_lists),
      'Status lists are served below the issuer',
      `let the proxy pass on every path below the issuer, or APIs refuse impersonated tokens with 503: ${listsUrl} answers ${lists?.status}, and not with the status lists of this provider`,
    ),
  ]
}

/** `undefined` where nothing answers, or something that is in trouble. */
async function loadJson(
  url: string,
): Promise<{ status: number; body: Readonly<Record<string, unknown>> } | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {})
  if (!response || response.status >= 500) return undefined
  const body: unknown = await response.json().catch(() => {})
  return { status: response.status, body: body instanceof Object ? { ...body } : {} }
}

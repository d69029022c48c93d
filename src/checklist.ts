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
import { isSafe, issuerUri, STATUS_LISTS_PATH } from './shared/uris.ts'
import { warn } from './shared/warn.ts'

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
}

/** What a provider can tell of going to production: docs/production.md has the same lines. */
export async function checklist(
  provider: Provider,
  { options, canEnd, opaqueResources }: Seen,
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
      'use an adapter with list and endOnce, and ending.enabled: true',
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
      rateLimits.issue !== undefined && rateLimits.issuePerActor !== undefined,
      'set rateLimits.issue and rateLimits.issuePerActor',
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

const TIMEOUT_MS = 1000

/**
 * Warns of what is certainly wrong with the address of the provider: tokens that go to another machine
 * in the clear, another document than its discovery document, and status lists that a proxy keeps back.
 * No answer says nothing, since the server may start later.
 *
 * @param servesLists whether the provider serves status lists
 */
export async function warnOfIssuer(
  issuer: string,
  { servesLists }: { readonly servesLists: boolean },
): Promise<void> {
  if (!isSafe(new URL(issuer))) {
    warn(
      'ISSUER_NOT_HTTPS',
      `the issuer ${issuer} is not https: tokens and keys go to other machines in the clear`,
    )
  }
  const url = issuerUri(issuer, '/.well-known/openid-configuration')
  const discovery = await loadJson(url)
  if (!discovery) return
  if (discovery.body.issuer !== issuer) {
    return warn(
      'DISCOVERY_NOT_SERVED',
      `${url} answers ${discovery.status}, and not with the discovery document of this provider; mount the provider at the path of its issuer`,
    )
  }
  if (!servesLists) return
  const listsUrl = issuerUri(issuer, STATUS_LISTS_PATH)
  const lists = await loadJson(listsUrl)
  if (!lists || Array.isArray(lists.body.status_lists)) return
  warn(
    'STATUS_LISTS_NOT_SERVED',
    `${listsUrl} answers ${lists.status}, and not with the status lists of this provider; let the proxy pass on every path below the issuer, or APIs refuse impersonated tokens with 503`,
  )
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

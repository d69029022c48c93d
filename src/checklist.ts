import type { Provider } from 'oidc-provider'
import { findNamesakes } from './exchange/actor.ts'
import {
  configurationOf,
  isDevelopmentAdapter,
  publicKeys,
  staticClients,
} from './host/instance.ts'
import { findAccountById } from './host/request.ts'
import { instance } from './host/weak-cache.ts'
import { findIdWithCase, findOpaqueResources } from './impersonations/list.ts'
import { mayClient } from './policy/clients.ts'
import { knowsApis } from './policy/management-api.ts'
import type { ImpersonationEvents } from './public/events.ts'
import type { ChecklistItem } from './public/objects.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { otherSpelling } from './shared/text.ts'
import { issuerUri, STATUS_LISTS_PATH } from './shared/uris.ts'

/** The longest acceptable lifetime of an access token that cannot be ended, in seconds. */
const WITHOUT_END = 900

/** The step for each line of the list. docs/production.md has the same lines. */
const TODO: Readonly<Record<ChecklistItem['id'], string>> = {
  single_use: 'use an adapter with consumeOnce, that all processes share',
  ending: 'use an adapter with list and endOnce, and ending.enabled: true',
  policy: 'set authorize, and refuse protected people first',
  binding: 'bind every subject token: name all members in managementApi.requireBinding',
  actor_token: 'set actorToken.required: true, unless jobs act without an operator',
  actor_client:
    'set actorToken.sameClient: true, or list the clients whose tokens of operators count',
  lifetime: `set accessToken.maxTtl to ${WITHOUT_END} or less where no impersonation can be ended`,
  token_format:
    "set accessTokenFormat: 'jwt', or have the APIs with opaque tokens ask introspection",
  resources:
    'set features.resourceIndicators.getResourceServerInfo: it tells the provider your APIs',
  clients: 'register the clients that issue for client_credentials, with a secret or a key',
  dpop: 'set dpop_bound_access_tokens: true for public clients that exchange',
  issuer: 'serve the issuer by https: tokens and keys go to other machines in the clear',
  keys: 'set jwks and cookies.keys, from a secret store',
  events: 'listen to the events of impersonations, or mount the console',
  errors: 'listen to server_error: its cause stands nowhere else',
  namesakes: 'give software that acts another id than any account has',
  account_ids: 'let findAccount answer the id as it is stored',
  discovery: 'mount the provider at the path of its issuer',
  status_lists:
    'let the proxy pass on every path below the issuer, or APIs refuse impersonated tokens with 503',
  management_api:
    'mount provider.impersonation.routes() or callback(), unless only this process issues',
}

/** `true` if something is left to do, or the names it is left to do for. */
type Finding = boolean | string | Untried

/** A line that could not be checked. */
interface Untried {
  readonly ok: true | undefined
  readonly why: string
}

const NOT_LOOKED_AT: Untried = { ok: undefined, why: 'not looked at yet, nothing answers there' }
const NOTHING_TO_TRY: Untried = { ok: true, why: 'nothing could be tried yet' }

/** The key with which oidc-provider signs if a deployment has none. Anyone can read it. */
const DEVELOPMENT_KEY = 'keystore-CHANGE-ME'

/** The events that every log of impersonations needs. */
const KEPT_EVENTS: ReadonlyArray<keyof ImpersonationEvents> = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
]

const BINDING_MEMBERS = ['mayAct', 'resource', 'scope', 'expiresIn'] as const

/**
 * Checks what a provider needs for production, once its storage was tried.
 *
 * @throws Error with the reason, in one sentence, why the storage cannot keep subject tokens
 */
export async function checklist(provider: Provider): Promise<readonly ChecklistItem[]> {
  const { ending, options: all, recorders, subjectTokens } = instance(provider)
  const { managementApi, accessToken, actorToken, ...options } = all
  const cookieKeys = configurationOf(provider).cookies?.keys ?? []
  const canEnd = ending !== undefined
  await subjectTokens.checkStorage()
  const address = await lookAtAddress(provider)
  const unheard = KEPT_EVENTS.filter((name) => provider.listenerCount(name) === 0)
  const open: Record<ChecklistItem['id'], Finding> = {
    single_use:
      options.subjectToken.singleUse !== 'adapter' ||
      isDevelopmentAdapter(provider.AccessToken.adapter),
    ending: !canEnd,
    policy: options.authorize === undefined,
    binding: join(BINDING_MEMBERS.filter((name) => !managementApi.requireBinding.includes(name))),
    actor_token: !actorToken.required,
    actor_client: actorToken.sameClient === false,
    lifetime: !canEnd && accessToken.maxTtl > WITHOUT_END && `it is ${accessToken.maxTtl}`,
    token_format: canEnd && join(await findOpaqueResources(provider)),
    resources: !knowsApis(provider),
    clients: join(await findUnfitMachines(provider)),
    dpop: join(findUnboundClients(provider)),
    issuer: !provider.issuer.startsWith('https:') && provider.issuer,
    keys:
      publicKeys(provider).keys.some(({ kid }) => kid === DEVELOPMENT_KEY) ||
      (Array.isArray(cookieKeys) && cookieKeys.length === 0),
    events: recorders.length === 0 && join(unheard),
    errors: provider.listenerCount('server_error') === 0,
    namesakes: join(await findNamesakes(provider, options.softwareActors)),
    account_ids: canEnd ? await findOtherSpellings(provider) : NOTHING_TO_TRY,
    ...address,
  }
  return (Object.keys(TODO) as ChecklistItem['id'][]).map((id) => {
    const left = open[id]
    if (typeof left === 'object') return { id, ok: left.ok, message: `${TODO[id]} (${left.why})` }
    return { id, ok: !left, message: TODO[id] + (left && left !== true ? `: ${left}` : '') }
  })
}

/**
 * Checks whether `findAccount` takes another spelling of a stored id for an id of its own. Its
 * storage then compares without case, and the rules of a deployment do not.
 */
async function findOtherSpellings(provider: Provider): Promise<Finding> {
  const stored = await findIdWithCase(provider)
  if (stored === undefined) return NOTHING_TO_TRY
  const found = await findAccountById(provider, otherSpelling(stored))
  return found !== undefined && found.accountId !== stored
}

function join(names: readonly string[]): string {
  return names.join(', ')
}

/** The clients that `managementApi.clients` names to issue, but that cannot. */
async function findUnfitMachines(provider: Provider): Promise<readonly string[]> {
  const rule = instance(provider).options.managementApi.clients.issue
  if (typeof rule === 'function') return []
  const clients = await Promise.all(rule.map((id) => provider.Client.find(id)))
  const fit = await Promise.all(
    clients.map((client) => client !== undefined && mayClient(provider, 'issue', client)),
  )
  return rule.filter((_, index) => !fit[index])
}

function findUnboundClients(provider: Provider): readonly string[] {
  return staticClients(provider)
    .filter(({ token_endpoint_auth_method: method }) => method === 'none')
    .filter(({ grant_types: grants }) => grants?.includes(TOKEN_EXCHANGE_GRANT_TYPE))
    .filter(({ dpop_bound_access_tokens: isBound }) => !isBound)
    .map((client) => client.client_id)
}

const TIMEOUT_MS = 3000

/** Checks the address of the provider: discovery, status lists and the management API. */
async function lookAtAddress(
  provider: Provider,
): Promise<Record<'discovery' | 'status_lists' | 'management_api', Finding>> {
  const { issuer } = provider
  const url = issuerUri(issuer, '/.well-known/openid-configuration')
  const discovery = await loadJson(url)
  if (!discovery) {
    return {
      discovery: NOT_LOOKED_AT,
      status_lists: NOT_LOOKED_AT,
      management_api: NOT_LOOKED_AT,
    }
  }
  const isOurs = discovery.body.issuer === issuer
  const listsUrl = issuerUri(issuer, STATUS_LISTS_PATH)
  const lists = isOurs && instance(provider).statusLists ? await loadJson(listsUrl) : undefined
  return {
    discovery:
      !isOurs &&
      `${url} answers ${discovery.status}, and not with the discovery document of this provider`,
    status_lists: lists
      ? !Array.isArray(lists.body.status_lists) &&
        `${listsUrl} answers ${lists.status}, and not with the status lists of this provider`
      : isOurs && instance(provider).statusLists === undefined
        ? false
        : NOT_LOOKED_AT,
    management_api: isOurs ? await findManagementApi(provider) : NOT_LOOKED_AT,
  }
}

/** Checks that the management API responds, beside the provider or in it. It takes no GET. */
async function findManagementApi(provider: Provider): Promise<Finding> {
  const { issuer } = provider
  const { prefix } = instance(provider).options.managementApi
  const path = `${prefix}/subject-tokens`
  const urls = [...new Set([new URL(issuer).origin + path, issuerUri(issuer, path)])]
  const answers = await Promise.all(urls.map((url) => loadJson(url)))
  if (answers.some((answer) => answer?.status === 405 && answer.body.error === 'invalid_request'))
    return false
  if (answers.includes(undefined)) return NOT_LOOKED_AT
  if (instance(provider).isMounted)
    return { ok: undefined, why: `not found at ${urls.join(' or ')}` }
  return true
}

/** Loads JSON; `undefined` if nothing responds, or only an error. */
async function loadJson(
  url: string,
): Promise<{ status: number; body: Readonly<Record<string, unknown>> } | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {})
  if (!response || response.status >= 500) return undefined
  const body: unknown = await response.json().catch(() => {})
  return { status: response.status, body: body instanceof Object ? { ...body } : {} }
}

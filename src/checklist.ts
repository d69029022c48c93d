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
import { findNewest } from './impersonations/list.ts'
import { BINDING_MEMBERS } from './options/defaults.ts'
import { mayClient } from './policy/clients.ts'
import type { ImpersonationEvents } from './public/events.ts'
import type { ChecklistItem } from './public/objects.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { otherSpellings } from './shared/spellings.ts'
import { issuerUri, STATUS_LISTS_PATH } from './shared/uris.ts'
import type { SubjectToken } from './tokens/subject-token.ts'

/** The longest acceptable lifetime of an access token that cannot be ended, in seconds. */
const WITHOUT_END = 900

/** `true` if something is left to do, the names it is left to do for, or why it is not known. */
type Finding = boolean | string | readonly string[] | Untried

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

/**
 * Checks what a provider needs for production, once its storage was tried. docs/production.md has
 * the same lines.
 *
 * @throws Error with the reason, in one sentence, why the storage cannot keep subject tokens
 */
export async function checklist(provider: Provider): Promise<readonly ChecklistItem[]> {
  const { ending, knowsApis, options, recorders, statusLists, subjectTokens } = instance(provider)
  const { issuer } = provider
  const { actorToken, authorize, softwareActors, subjectToken } = options
  const { requireBinding } = options.managementApi
  const { maxTtl } = options.accessToken
  const cookieKeys = configurationOf(provider).cookies?.keys ?? []
  const canEnd = ending !== undefined
  await subjectTokens.checkStorage()
  const discovery = await lookAt(
    issuerUri(issuer, '/.well-known/openid-configuration'),
    'discovery document',
    (body) => body.issuer === issuer,
  )
  const isOurs = discovery === false
  const listsUrl = issuerUri(issuer, STATUS_LISTS_PATH)

  const newest = canEnd ? await findNewest(provider) : []
  const opaque = newest.flatMap(({ note }) => (note?.format === 'opaque' ? note.resource : []))

  const items: ChecklistItem[] = []
  const add = (id: ChecklistItem['id'], step: string, finding: Finding) => {
    if (typeof finding === 'object' && 'why' in finding) {
      items.push({ id, ok: finding.ok, message: `${step} (${finding.why})` })
      return
    }
    const names = [finding].flat().join(', ')
    const isNamed = names !== '' && typeof finding !== 'boolean'
    const ok = finding === false || names === ''
    items.push({ id, ok, message: isNamed ? `${step}: ${names}` : step })
  }
  add(
    'single_use',
    'use an adapter with consumeOnce, that all processes share',
    subjectToken.singleUse !== 'adapter' || isDevelopmentAdapter(provider.AccessToken.adapter),
  )
  add('ending', 'use an adapter with list and endOnce, and ending.enabled: true', !canEnd)
  add('policy', 'set authorize, and refuse protected people first', authorize === undefined)
  add(
    'binding',
    'bind every subject token: name all members in managementApi.requireBinding',
    BINDING_MEMBERS.filter((name) => !requireBinding.includes(name)),
  )
  add(
    'actor_token',
    'set actorToken.required: true, unless jobs act without an operator',
    !actorToken.required,
  )
  add(
    'actor_client',
    'set actorToken.sameClient: true, or list the clients whose tokens of operators count',
    actorToken.sameClient === false,
  )
  add(
    'lifetime',
    `set accessToken.maxTtl to ${WITHOUT_END} or less where no impersonation can be ended`,
    !canEnd && maxTtl > WITHOUT_END && `it is ${maxTtl}`,
  )
  add(
    'token_format',
    "set accessTokenFormat: 'jwt', or have the APIs with opaque tokens ask introspection",
    [...new Set(opaque)].sort(),
  )
  add(
    'resources',
    'set features.resourceIndicators.getResourceServerInfo: it tells the provider your APIs',
    !knowsApis,
  )
  add(
    'clients',
    'register the clients that issue for client_credentials, with a secret or a key',
    await findUnfitMachines(provider),
  )
  add(
    'dpop',
    'set dpop_bound_access_tokens: true for public clients that exchange',
    findUnboundClients(provider),
  )
  add(
    'issuer',
    'serve the issuer by https: tokens and keys go to other machines in the clear',
    !issuer.startsWith('https:') && issuer,
  )
  add(
    'keys',
    'set jwks and cookies.keys, from a secret store',
    publicKeys(provider).keys.some(({ kid }) => kid === DEVELOPMENT_KEY) ||
      (Array.isArray(cookieKeys) && cookieKeys.length === 0),
  )
  add(
    'events',
    'listen to the events of impersonations, or mount the console',
    recorders.length === 0 && KEPT_EVENTS.filter((name) => provider.listenerCount(name) === 0),
  )
  add(
    'errors',
    'listen to server_error: it is the only place the cause is logged',
    provider.listenerCount('server_error') === 0,
  )
  add(
    'namesakes',
    'give software that acts another id than any account has',
    await findNamesakes(provider, softwareActors),
  )
  add(
    'account_ids',
    'let findAccount answer the id as it is stored',
    await findOtherSpellings(provider, newest),
  )
  add('discovery', 'mount the provider at the path of its issuer', discovery)
  add(
    'status_lists',
    'let the proxy pass on every path below the issuer, or APIs refuse impersonated tokens with 503',
    isOurs
      ? statusLists !== undefined &&
          (await lookAt(listsUrl, 'status lists', (body) => Array.isArray(body.status_lists)))
      : NOT_LOOKED_AT,
  )
  add(
    'management_api',
    'mount provider.impersonation.routes() or callback(), unless only this process issues',
    isOurs ? await findManagementApi(provider) : NOT_LOOKED_AT,
  )
  return items
}

/**
 * Checks whether `findAccount` takes another spelling of a stored id for an id of its own. If two
 * spellings are accounts, its storage compares without case, and the rules of a
 * deployment do not.
 */
async function findOtherSpellings(
  provider: Provider,
  newest: readonly SubjectToken[],
): Promise<Finding> {
  const ids = newest.map(({ accountId }) => accountId)
  const stored = ids.find((id) => otherSpellings(id).length > 0)
  if (stored === undefined) return NOTHING_TO_TRY
  const found = await Promise.all(otherSpellings(stored).map((id) => findAccountById(provider, id)))
  return found.every((account) => account !== undefined && account.accountId !== stored)
}

/** The clients that `managementApi.clients` names to issue, but that cannot. */
async function findUnfitMachines(provider: Provider): Promise<readonly string[]> {
  const rule = instance(provider).options.managementApi.clients.issue
  if (typeof rule === 'function') return []
  const fit = await Promise.all(
    rule.map(async (id) => {
      const client = await provider.Client.find(id)
      return client && mayClient(provider, 'issue', client)
    }),
  )
  return rule.filter((_, index) => !fit[index])
}

function findUnboundClients(provider: Provider): readonly string[] {
  return staticClients(provider)
    .filter(
      (client) =>
        client.token_endpoint_auth_method === 'none' &&
        client.grant_types?.includes(TOKEN_EXCHANGE_GRANT_TYPE) &&
        !client.dpop_bound_access_tokens,
    )
    .map((client) => client.client_id)
}

const TIMEOUT_MS = 3000

/** Checks that an address of the provider answers as it should. */
async function lookAt(
  url: string,
  what: string,
  isRight: (body: Readonly<Record<string, unknown>>) => boolean,
): Promise<Finding> {
  const answer = await loadJson(url)
  if (!answer) return NOT_LOOKED_AT
  if (isRight(answer.body)) return false
  return `${url} answers ${answer.status}, and not with the ${what} of this provider`
}

/** Checks that the management API responds, beside the provider or in it. It takes no GET. */
async function findManagementApi(provider: Provider): Promise<Finding> {
  const { issuer } = provider
  const { isMounted, options } = instance(provider)
  const path = `${options.managementApi.prefix}/subject-tokens`
  const urls = [...new Set([new URL(issuer).origin + path, issuerUri(issuer, path)])]
  const answers = await Promise.all(urls.map(loadJson))
  if (answers.some((answer) => answer?.status === 405 && answer.body.error === 'invalid_request'))
    return false
  if (answers.includes(undefined)) return NOT_LOOKED_AT
  return isMounted ? { ok: undefined, why: `not found at ${urls.join(' or ')}` } : true
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

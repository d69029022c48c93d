import type { Provider } from 'oidc-provider'
import {
  configurationOf,
  isDevelopmentAdapter,
  publicKeys,
  staticClients,
} from './host/instance.ts'
import { findAccountById } from './host/request.ts'
import { instance } from './host/weak-cache.ts'
import { listTokens } from './impersonations/list.ts'
import { BINDING_MEMBERS } from './options/defaults.ts'
import { mayClient } from './policy/clients.ts'
import type { ImpersonationEvents } from './public/events.ts'
import type { ChecklistItem } from './public/objects.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'

/** The longest acceptable lifetime of an access token that cannot be ended, in seconds. */
const WITHOUT_END = 900

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
  const { ending, knowsApis, options, recorders, subjectTokens } = instance(provider)
  const { actorToken, authorize, subjectToken } = options
  const { requireBinding } = options.managementApi
  const { maxTtl } = options.accessToken
  const cookieKeys = configurationOf(provider).cookies?.keys ?? []
  const canEnd = ending !== undefined
  await subjectTokens.checkStorage()

  return [
    line(
      'single_use',
      'use an adapter with consumeOnce, that all processes share',
      subjectToken.singleUse !== 'adapter' || isDevelopmentAdapter(provider.AccessToken.adapter),
    ),
    line('ending', 'use an adapter with list and endOnce, and ending.enabled: true', !canEnd),
    line('policy', 'set authorize, and refuse protected people first', authorize === undefined),
    line(
      'binding',
      'bind every subject token: name all members in managementApi.requireBinding',
      BINDING_MEMBERS.filter((name) => !requireBinding.includes(name)),
    ),
    line(
      'actor_token',
      'set actorToken.required: true, unless jobs act without an operator',
      !actorToken.required,
    ),
    line(
      'actor_client',
      'set actorToken.sameClient: true, or list the clients whose tokens of operators count',
      actorToken.sameClient === false,
    ),
    line(
      'lifetime',
      `set accessToken.maxTtl to ${WITHOUT_END} or less where no impersonation can be ended`,
      canEnd || maxTtl <= WITHOUT_END ? [] : [`it is ${maxTtl}`],
    ),
    line(
      'resources',
      'set features.resourceIndicators.getResourceServerInfo: it tells the provider your APIs',
      !knowsApis,
    ),
    line(
      'clients',
      'register the clients that issue for client_credentials, with a secret or a key',
      await findUnfitMachines(provider),
    ),
    line(
      'dpop',
      'set dpop_bound_access_tokens: true for public clients that exchange',
      findUnboundClients(provider),
    ),
    line(
      'issuer',
      'serve the issuer by https: tokens and keys go to other machines in the clear',
      provider.issuer.startsWith('https:') ? [] : [provider.issuer],
    ),
    line(
      'keys',
      'set jwks and cookies.keys, from a secret store',
      publicKeys(provider).keys.some(({ kid }) => kid === DEVELOPMENT_KEY) ||
        (Array.isArray(cookieKeys) && cookieKeys.length === 0),
    ),
    line(
      'events',
      'listen to the events of impersonations, or mount the console',
      recorders.length === 0 && KEPT_EVENTS.filter((name) => provider.listenerCount(name) === 0),
    ),
    line(
      'errors',
      'listen to server_error: it is the only place the cause is logged',
      provider.listenerCount('server_error') === 0,
    ),
    line(
      'account_ids',
      'let findAccount answer the id as it is stored',
      canEnd ? await takesOtherSpellings(provider) : undefined,
    ),
  ]
}

/**
 * @param left - `true` if something is left to do, or the names it is left to do for; `undefined`
 * if nothing could be tried
 */
function line(
  id: ChecklistItem['id'],
  step: string,
  left: boolean | readonly string[] | undefined,
): ChecklistItem {
  if (left === undefined) return { id, ok: true, message: `${step} (nothing could be tried yet)` }
  if (typeof left === 'boolean') return { id, ok: !left, message: step }
  const ok = left.length === 0
  return { id, ok, message: ok ? step : `${step}: ${left.join(', ')}` }
}

/**
 * Checks whether `findAccount` takes another spelling of a stored id for an id of its own. If it
 * does, its storage compares without case, and the rules of a deployment do not.
 */
async function takesOtherSpellings(provider: Provider): Promise<boolean | undefined> {
  const { value: newest = [] } = await listTokens(provider, {}).next()
  const stored = newest.find(({ accountId }) => inMixedCase(accountId) !== accountId)?.accountId
  if (stored === undefined) return undefined
  const account = await findAccountById(provider, inMixedCase(stored))
  return account !== undefined && account.accountId !== stored
}

/** A spelling that hardly any id has: `RoOt` of `root`. */
function inMixedCase(id: string): string {
  const letters = [...id].map((letter, at) =>
    at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return letters.join('')
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

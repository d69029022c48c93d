import { type Client, errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { findAccount } from '../host/grants.ts'
import { certificateThumbprint } from '../host/instance.ts'
import { findAccountById } from '../host/request.ts'
import { slot } from '../host/slot.ts'
import { hasEnded } from '../impersonations/end.ts'
import { REDEEMED_WITHIN_MS } from '../impersonations/pending-ends.ts'
import { optionsOf } from '../options/defaults.ts'
import { isNamed, isPublic } from '../policy/clients.ts'
import type { Actor } from '../public/hooks.ts'
import type { ClientRule } from '../public/options.ts'
import { parseAct } from '../shared/act.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { present } from '../shared/json.ts'
import { unprovenBinding } from '../shared/sender.ts'
import { warn } from '../shared/warn.ts'
import {
  AccessTokenRejected,
  type VerifiedAccessToken,
  verifierOf,
} from '../tokens/access-token.ts'
import type { ExchangeRequest } from './request.ts'

const SOFTWARE_OPTION = 'features.impersonation.softwareActors'
/** How many clients are remembered whose id was looked up among the accounts. */
const MAX_CLIENTS_LOOKED_UP = 1000
const ENDED_REASON = 'its own impersonation has ended'

/** The operator, and what the operator's sign-in hangs on. */
export interface FoundActor {
  readonly actor: Actor
  /** The client that the actor token was issued to. */
  readonly actorClient: string
  /** The grant of the actor token, if it names one. */
  readonly grant: string | undefined
  /** The impersonation that the actor token came out of, in a chain: its id. */
  readonly through: string | undefined
}

/**
 * Says who acts: validates the actor token, if there is one. RFC 8693 §2.1, §4.1. An actor token is a valid
 * access token of the operator issued with the given scope: of a user, not a client; not itself
 * impersonated; its account, client and grant still there.
 *
 * @throws errors.InvalidRequest where it is none, or is missing
 */
export async function findActor(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
): Promise<FoundActor | undefined> {
  const { actorToken } = request
  if (actorToken === undefined) {
    if (!optionsOf.of(provider).actorToken.required) return undefined
    throw new errors.InvalidRequest('actor_token is required')
  }
  try {
    return await verifyActor(provider, ctx, actorToken, request)
  } catch (cause) {
    if (cause instanceof AccessTokenRejected) throw invalid(cause)
    throw cause
  }
}

async function verifyActor(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  value: string,
  { clientId, dPoP, certificate }: ExchangeRequest,
): Promise<FoundActor> {
  const options = optionsOf.of(provider).actorToken
  const verifier = verifierOf.of(provider)
  const token = await verifier.verifyUserToken(value)
  const prior = priorActors(token, options.chain.maxDepth)
  const through = token.impersonationId
  if (through !== undefined && (await hasEnded(provider, through))) {
    throw new AccessTokenRejected(ENDED_REASON)
  }
  if (!token.scopes.has(options.scope)) {
    throw new AccessTokenRejected(`lacks the scope ${options.scope}`)
  }
  if (!mayBring(options.sameClient, token.clientId, clientId)) {
    throw new AccessTokenRejected('was issued to another client')
  }
  requireRecentSignIn(token, options.maxAge)
  const unproven = unprovenBinding(token, {
    jkt: dPoP?.thumbprint,
    x5t: () => certificate && certificateThumbprint(certificate),
  })
  if (unproven !== undefined) throw new AccessTokenRejected(unproven)
  const client = await verifier.requireClient(token.clientId)
  if (token.grantId !== undefined) await requireGrant(provider, token)
  if (client.subjectType === 'pairwise' && value.includes('.')) {
    throw new AccessTokenRejected('its pairwise subject cannot be traced to an account')
  }
  const account =
    token.accountId === undefined ? undefined : await findAccount(provider, ctx, token.accountId)
  if (!account) throw new AccessTokenRejected('its account is gone')
  const actor = Object.freeze({
    sub: account.accountId,
    ...present({ act: prior }),
  })
  return { actor, actorClient: token.clientId, grant: token.grantId, through }
}

/**
 * For the time after the redemption: an end of the actor token's own impersonation ends what runs through
 * it, if it finds that redeemed. What it did not find, finds the end here (an end ends, I11).
 *
 * @throws errors.InvalidRequest
 */
export async function requireThroughLives(provider: Provider, through: string): Promise<void> {
  if (await hasEnded(provider, through)) throw invalid(new AccessTokenRejected(ENDED_REASON))
}

/**
 * An end of all that an operator or a client runs has a second pass, which finds what was redeemed within
 * this time. What is later, it would not find, and so it is not issued (what can act can be ended, I14).
 *
 * @param lookedAt when the look at who acts began, in milliseconds, by the monotonic clock
 * @throws Error where that is too long ago
 */
export function requireRecentLook(lookedAt: number): void {
  if (performance.now() - lookedAt <= REDEEMED_WITHIN_MS) return
  throw new Error(
    `the storage took too long: more than ${REDEEMED_WITHIN_MS / 1000} seconds from the look at who acts to the redemption`,
  )
}

function invalid(cause: AccessTokenRejected): errors.InvalidRequest {
  return new errors.InvalidRequest('actor token is invalid', undefined, { cause })
}

/** Whether the exchanging client may bring a token that was issued to `issuedTo`. */
function mayBring(
  sameClient: boolean | readonly string[],
  issuedTo: string,
  exchanging: string,
): boolean {
  if (typeof sameClient === 'boolean') return !sameClient || issuedTo === exchanging
  return sameClient.includes(issuedTo)
}

/** An impersonated token is no actor token, unless chains are allowed and it names its own (I3). */
function priorActors(token: VerifiedAccessToken, maxDepth: number): Actor | undefined {
  if (!token.impersonated) return undefined
  if (maxDepth === 0) throw new AccessTokenRejected('is itself impersonated')
  const prior = parseAct(token.act, maxDepth)
  if (!prior) throw new AccessTokenRejected('is itself impersonated')
  return prior
}

function requireRecentSignIn(token: VerifiedAccessToken, maxAge: number | undefined): void {
  if (maxAge === undefined) return
  if (token.authTime === undefined) {
    throw new AccessTokenRejected('does not tell when the operator signed in')
  }
  if (Date.now() / 1000 - token.authTime > maxAge) {
    throw new AccessTokenRejected('the operator signed in too long ago')
  }
}

async function requireGrant(provider: Provider, token: VerifiedAccessToken): Promise<void> {
  const grant = token.grantId && (await provider.Grant.find(token.grantId))
  if (!grant || grant.clientId !== token.clientId || grant.accountId !== token.accountId) {
    throw new AccessTokenRejected('its grant is gone')
  }
}

const lookedUpOf = slot(
  'the clients that were looked up among accounts',
  () => new BoundedMap<string, true>(MAX_CLIENTS_LOOKED_UP),
)

/**
 * Says whether the client that exchanges is itself an actor, and answers its id then: software that acts is
 * named (I16).
 *
 * @throws errors.UnauthorizedClient for a client that is named and does not authenticate: it would
 * act, and its name would prove nothing
 * @throws Error where the deployment's function fails or answers no boolean (fail closed, I9)
 */
export async function findSoftware(
  provider: Provider,
  client: Client,
): Promise<string | undefined> {
  const { softwareActors } = optionsOf.of(provider)
  if (!(await isNamed(client, softwareActors, SOFTWARE_OPTION))) return undefined
  const { clientId } = client
  if (isPublic(client)) {
    const cause = new Error(`${SOFTWARE_OPTION} names ${clientId}, which does not authenticate`)
    throw new errors.UnauthorizedClient('the client acts, and does not authenticate', { cause })
  }
  const lookedUp = lookedUpOf.of(provider)
  if (!lookedUp.get(clientId)) {
    lookedUp.set(clientId, true)
    const message = `${SOFTWARE_OPTION}: ${clientId} is the id of a client and of an account; give one of them another id`
    findNamesakes(provider, [clientId]).then(
      (found) => found.length > 0 && warn('NAMESAKE', message),
      () => {},
    )
  }
  return clientId
}

/**
 * The clients whose id is an account's as well: `act` tells them apart by `client_id`, people may not.
 *
 * @returns their ids; none where the rule is a function
 */
export async function findNamesakes(
  provider: Provider,
  clients: ClientRule,
): Promise<readonly string[]> {
  if (typeof clients === 'function') return []
  const accounts = await Promise.all(clients.map((id) => findAccountById(provider, id)))
  return clients.filter((id, index) => accounts[index]?.accountId === id)
}

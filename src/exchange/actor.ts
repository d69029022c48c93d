import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { findAccount } from '../host/grants.ts'
import { REDEEMED_WITHIN_MS } from '../impersonations/pending-ends.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { ActClaim, Actor } from '../public/hooks.ts'
import { parseAct } from '../shared/act.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/jwt-access-token.ts'

/** The keys whose possession the caller proved in this request. */
export interface ProvenKeys {
  /** Thumbprint of the DPoP proof's key. */
  readonly jkt: string | undefined
  /** Thumbprint of the TLS client certificate. */
  readonly x5t: string | undefined
}

/** The operator, and what the operator's sign-in hangs on. */
export interface FoundActor {
  readonly actor: Actor
  /** The grant of the actor token, if it names one. */
  readonly grant: string | undefined
  /** The impersonation that the actor token came out of, in a chain: its id. */
  readonly through: string | undefined
}

/** Says who acts: validates the actor token, if there is one. RFC 8693 §2.1, §4.1. */
export type ActorFinder = (
  ctx: TokenEndpointGrantContext,
  actorToken: string | undefined,
  proven: ProvenKeys,
) => Promise<FoundActor | undefined>

/** Whether an impersonation has ended. */
export type HasEnded = (id: string) => Promise<boolean>

/**
 * An actor token is a valid access token of the operator issued with the given scope: of a user,
 * not a client; not itself impersonated; its account, client and grant still there.
 */
export function actorFinder(
  provider: Provider,
  verifier: AccessTokenVerifier,
  options: ResolvedOptions['actorToken'],
  hasEnded: HasEnded,
): ActorFinder {
  async function verifyActor(
    ctx: TokenEndpointGrantContext,
    value: string,
    proven: ProvenKeys,
  ): Promise<FoundActor> {
    const token = await verifier.verifyUserToken(value)
    const prior = priorActors(token, options.chain.maxDepth)
    const through = token.impersonationId
    if (through !== undefined && (await hasEnded(through)))
      throw new AccessTokenRejected(ENDED_REASON)
    if (!token.scopes.has(options.scope)) {
      throw new AccessTokenRejected(`lacks the scope ${options.scope}`)
    }
    if (options.sameClient && token.clientId !== ctx.oidc.client.clientId) {
      throw new AccessTokenRejected('was issued to another client')
    }
    requireRecentSignIn(token, options.maxAge)
    requireProof(token, proven)
    const client = await verifier.findClient(token.clientId)
    if (token.grantId !== undefined) await requireGrant(provider, token)
    if (client.subjectType === 'pairwise' && value.includes('.')) {
      throw new AccessTokenRejected('its pairwise subject cannot be traced to an account')
    }
    const account =
      token.accountId === undefined ? undefined : await findAccount(provider, ctx, token.accountId)
    if (!account) throw new AccessTokenRejected('its account is gone')
    const actor = Object.freeze({
      sub: account.accountId,
      clientId: token.clientId,
      ...(prior ? { act: prior } : {}),
    })
    return { actor, grant: token.grantId, through }
  }

  return async (ctx, value, proven) => {
    if (value === undefined) {
      if (options.required) throw new errors.InvalidRequest('actor_token is required')
      return undefined
    }
    try {
      return await verifyActor(ctx, value, proven)
    } catch (cause) {
      if (cause instanceof AccessTokenRejected) throw invalid(cause)
      throw cause
    }
  }
}

/**
 * I3, for the time after the redemption: an end of the actor token's own impersonation ends what runs
 * through it, if it finds that redeemed. What it did not find, finds the end here.
 */
export async function requireThroughLives(through: string, hasEnded: HasEnded): Promise<void> {
  if (await hasEnded(through)) throw invalid(new AccessTokenRejected(ENDED_REASON))
}

/**
 * I14: an end of all that an operator or a client runs has a second pass, which finds what was redeemed
 * within this time. What is later, it would not find.
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

const ENDED_REASON = 'its own impersonation has ended'

function invalid(cause: AccessTokenRejected): errors.InvalidRequest {
  return new errors.InvalidRequest('actor token is invalid', undefined, { cause })
}

/** I3: an impersonated token is no actor token, unless chains are allowed and it names its own. */
function priorActors(token: VerifiedAccessToken, maxDepth: number): ActClaim | undefined {
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

/** I10: a sender-constrained token is never accepted as a plain bearer token. */
function requireProof(token: VerifiedAccessToken, proven: ProvenKeys): void {
  if (token.jkt !== undefined && token.jkt !== proven.jkt) {
    throw new AccessTokenRejected('is bound to a DPoP key that this request does not prove')
  }
  if (token.x5t !== undefined && token.x5t !== proven.x5t) {
    throw new AccessTokenRejected('is bound to a certificate that this request does not show')
  }
}

async function requireGrant(provider: Provider, token: VerifiedAccessToken): Promise<void> {
  const grant = token.grantId && (await provider.Grant.find(token.grantId))
  if (!grant || grant.clientId !== token.clientId || grant.accountId !== token.accountId) {
    throw new AccessTokenRejected('its grant is gone')
  }
}

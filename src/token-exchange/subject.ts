import {
  type Account,
  type Client,
  errors,
  type Provider,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import { type AuditTrail, Replay } from '../audit.ts'
import type { Binding } from '../binding.ts'
import type { Actor } from '../claims-hook.ts'
import { AccessTokenRejected } from '../jwt-access-token.ts'
import { findAccount } from '../oidc-provider-internals.ts'
import type { SubjectToken, SubjectTokenModel } from '../subject-token.ts'

/** The user to be impersonated, and the subject token that allows it. */
export interface Subject {
  readonly token: SubjectToken
  readonly account: Account
  readonly binding: Binding
}

/** What finding a subject takes. */
export interface SubjectParts {
  readonly subjectTokens: SubjectTokenModel
  readonly verifier: AccessTokenVerifier
  /** Whether a client may use the management API at all. */
  readonly mayCall: (client: Client) => boolean
}

/**
 * RFC 8693 §2.2.2: "If the request itself is not valid or if either the subject_token or
 * actor_token are invalid for any reason, or are unacceptable based on policy, the authorization
 * server MUST construct an error response [...] The value of the error parameter MUST be the
 * invalid_request error code." I6: the same words whatever the reason.
 */
export function notRedeemable(reason: string | Error): errors.InvalidRequest {
  const cause = typeof reason === 'string' ? new Error(reason) : reason
  return new errors.InvalidRequest('subject token is invalid', undefined, { cause })
}

/** Finds what a presented subject token stands for, as long as all of it is still true (I7). */
export async function findSubject(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  presented: string,
  { subjectTokens, verifier, mayCall }: SubjectParts,
  trail: AuditTrail,
): Promise<Subject> {
  const { id, token } = await subjectTokens.find(presented)
  trail.note({ id })
  if (!token) throw notRedeemable('unknown or expired')
  trail.note({ subject: token.accountId, issuedTo: token.clientId })
  trail.noteContext(() => token.contextObject)
  if (token.consumed) {
    const at = typeof token.consumed === 'number' ? token.consumed : undefined
    throw notRedeemable(new Replay({ at, jti: token.accessTokenId }))
  }
  ctx.oidc.entity('SubjectToken', token)
  await requireIssuer(verifier, token, mayCall)
  const account = await findAccount(provider, ctx, token.accountId)
  if (!account) throw notRedeemable('its account is gone')
  ctx.oidc.entity('Account', account)
  return Object.freeze({ token, account, binding: token.bindingObject })
}

/** Why a claim was lost: to another redemption, or because the record went meanwhile. */
export async function lostClaim(
  subjectTokens: SubjectTokenModel,
  presented: string,
): Promise<errors.InvalidRequest> {
  const { token } = await subjectTokens.find(presented)
  if (!token) return notRedeemable('expired or revoked meanwhile')
  const at = typeof token.consumed === 'number' ? token.consumed : undefined
  return notRedeemable(new Replay({ at, jti: token.accessTokenId }))
}

/** The client that asked for the subject token must still be one that may. */
async function requireIssuer(
  verifier: AccessTokenVerifier,
  token: SubjectToken,
  mayCall: (client: Client) => boolean,
): Promise<void> {
  try {
    const issuer = await verifier.liveClient(token.clientId)
    if (issuer.grantTypeAllowed('client_credentials') && mayCall(issuer)) return
  } catch (cause) {
    if (cause instanceof AccessTokenRejected) {
      throw notRedeemable('the client it was issued to is gone')
    }
    throw cause
  }
  throw notRedeemable('the client it was issued to may not issue any more')
}

/**
 * RFC 8693 §4.4, of one token: only this operator, through this client. Leaving the actor token
 * out gets around neither.
 */
export function requireMayAct({ mayAct }: Binding, client: Client, actor: Actor | undefined): void {
  if (mayAct?.clientId !== undefined && mayAct.clientId !== client.clientId) {
    throw notRedeemable('bound to another client')
  }
  if (mayAct?.sub === undefined) return
  if (!actor) throw notRedeemable('bound to an operator, and none acts')
  if (actor.sub !== mayAct.sub) throw notRedeemable('bound to another operator')
  // "Only this operator" is not somebody who acts as them.
  if (actor.act) throw notRedeemable('bound to an operator in person, and somebody acts as them')
}

/** The resource must be one of those that the token was issued for. */
export function requireResource({ resource }: Binding, requested: string): void {
  if (resource && !resource.includes(requested)) {
    // Whoever comes this far holds the token rightly: they may know what is wrong.
    throw new errors.InvalidRequest('resource is not one that the subject token was issued for')
  }
}

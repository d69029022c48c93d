import { type Client, errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { findAccount } from '../host/grants.ts'
import { certificateThumbprint, mayOutliveSignOut } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import { isNamed, isPublic } from '../policy/clients.ts'
import { unprovenBinding } from '../shared/sender.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/access-token.ts'
import type { ExchangeRequest } from './request.ts'

const SOFTWARE_OPTION = 'features.impersonation.softwareActors'

/** The operator, and the operator's sign-in. */
export type FoundActor = Awaited<ReturnType<typeof verifyActor>>

/**
 * Finds the actor: validates the actor token, if there is one. RFC 8693 §2.1, §4.1. An actor token
 * is a valid access token of the operator issued with the given scope. It is a user's, not a
 * client's, it is not itself impersonated, and its account, client and grant still exist.
 *
 * @throws errors.InvalidRequest if it is invalid or missing
 */
export async function findActor(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
): Promise<FoundActor | undefined> {
  const { actorToken } = request
  if (actorToken === undefined) {
    if (!instance(provider).options.actorToken.required) return undefined
    throw new errors.InvalidRequest('actor_token is required')
  }
  return verifyActor(provider, ctx, actorToken, request).catch((error) => {
    if (!(error instanceof AccessTokenRejected)) throw error
    throw new errors.InvalidRequest('actor token is invalid', undefined, { cause: error.cause })
  })
}

async function verifyActor(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  value: string,
  { clientId, dPoP, certificate }: ExchangeRequest,
) {
  const { options, verifier } = instance(provider)
  const { maxAge, sameClient, scope } = options.actorToken
  const token = await verifier.verifyUserToken(value)
  if (token.impersonated) throw new AccessTokenRejected('is itself impersonated')
  if (!token.scopes.has(scope)) throw new AccessTokenRejected(`lacks the scope ${scope}`)
  const mayBring =
    typeof sameClient === 'boolean'
      ? !sameClient || token.clientId === clientId
      : sameClient.includes(token.clientId)
  if (!mayBring) throw new AccessTokenRejected('was issued to another client')
  requireRecentSignIn(token, maxAge)
  const unproven = unprovenBinding(token, {
    jkt: dPoP?.thumbprint,
    x5t: () => certificate && certificateThumbprint(certificate),
  })
  if (unproven !== undefined) throw new AccessTokenRejected(unproven)
  const client = await verifier.requireClient(token.clientId)
  const grant = token.grantId
  if (grant !== undefined && !(await isGranted(provider, { ...token, grant }))) {
    throw new AccessTokenRejected('its grant is gone')
  }
  if (client.subjectType === 'pairwise' && value.includes('.')) {
    throw new AccessTokenRejected('its pairwise subject cannot be traced to an account')
  }
  const { accountId } = token
  const account = accountId === undefined ? undefined : await findAccount(provider, ctx, accountId)
  if (!account) throw new AccessTokenRejected('its account is gone')
  return {
    actor: Object.freeze({ sub: account.accountId }),
    actorClient: token.clientId,
    grant,
    /** `true` if the grant may stay when the operator signs out. */
    mayOutliveSignOut: mayOutliveSignOut(provider, client),
  }
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

/** Checks that the grant of an actor token exists, and is the operator's. */
export async function isGranted(
  provider: Provider,
  {
    grant: id,
    clientId,
    accountId,
  }: Pick<VerifiedAccessToken, 'accountId' | 'clientId'> & { readonly grant: string },
): Promise<boolean> {
  const grant = await provider.Grant.find(id)
  return grant !== undefined && grant.clientId === clientId && grant.accountId === accountId
}

/**
 * Checks whether the client that exchanges is itself an actor, and returns its id then. Software
 * that acts is named (I16).
 *
 * @throws errors.UnauthorizedClient for a client that is named and does not authenticate. It would
 * act, and its name would prove nothing.
 * @throws Error if the deployment's function fails or returns no boolean (fail closed, I9)
 */
export async function findSoftware(
  provider: Provider,
  client: Client,
): Promise<string | undefined> {
  const { softwareActors } = instance(provider).options
  if (!(await isNamed(client, softwareActors, SOFTWARE_OPTION))) return undefined
  const { clientId } = client
  if (isPublic(client)) {
    const cause = new Error(`${SOFTWARE_OPTION} names ${clientId}, which does not authenticate`)
    throw new errors.UnauthorizedClient('the client acts, and does not authenticate', { cause })
  }
  return clientId
}

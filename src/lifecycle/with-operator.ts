import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { currentRequest } from '../host/request.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import type { Impersonations } from './impersonations.ts'
import { keepTrying } from './keep-trying.ts'

/**
 * Ends what an operator runs when the operator's grant or sign-in at the provider is over. The grant
 * is the one of the actor token, as the redemption noted it.
 *
 * @param tokenLife how long an access token can live, in seconds
 */
export function endWithOperator(
  provider: Provider,
  impersonations: Impersonations,
  tokenLife: number,
): void {
  const accountOf = accountsOfRevocations(provider)

  function endOf(accountId: string | undefined, grants: ReadonlySet<string>): void {
    if (accountId === undefined || grants.size === 0) return
    const ofGrants = ({ note }: SubjectToken) => note?.grant !== undefined && grants.has(note.grant)
    const how = { by: { sub: accountId }, cause: 'operator_signed_out' } as const
    keepTrying('ending what an operator runs', tokenLife, async () => {
      await impersonations.endAll({ actor: accountId }, how, undefined, ofGrants)
    })
  }

  provider.on('grant.revoked', (ctx, grantId) => endOf(accountOf(ctx, grantId), new Set([grantId])))
  provider.on('grant.destroyed', ({ accountId, jti }) => endOf(accountId, new Set([jti])))
  provider.on('end_session.success', (ctx) => {
    const { session } = ctx.oidc
    // Signed out of one client alone, the operator stays signed in: its grant is revoked, if any.
    if (!session || Reflect.get(session, 'destroyed') !== true) return
    const authorizations = Object.values(session.authorizations ?? {})
    const grants = authorizations.flatMap(({ grantId }) => grantId ?? [])
    endOf(session.accountId, new Set(grants))
  })
}

/** What every model of the provider that belongs to a grant says of it. */
interface OfGrant {
  readonly accountId?: string | undefined
  readonly grantId?: string | undefined
}

/**
 * Whose grant a request revokes: the event tells the grant alone, whose record is gone by then. The
 * session of the request, what it was made with, or the token that it has just destroyed tell whose.
 */
function accountsOfRevocations(provider: Provider) {
  const destroyed = new WeakMap<object, OfGrant>()
  const remember = (token: OfGrant) => {
    const request = currentRequest()
    if (request) destroyed.set(request, token)
  }
  provider.on('access_token.destroyed', remember)
  provider.on('refresh_token.destroyed', remember)

  return (ctx: KoaContextWithOIDC, grantId: string): string | undefined => {
    const { session, entities } = ctx.oidc
    const grants = Object.values(session?.authorizations ?? {}).map((each) => each.grantId)
    if (session?.accountId !== undefined && grants.includes(grantId)) return session.accountId
    const candidates = [...Object.values(entities), destroyed.get(ctx)].filter(isOfGrant)
    return candidates.find((each) => each.grantId === grantId)?.accountId
  }
}

function isOfGrant(entity: unknown): entity is OfGrant {
  return typeof entity === 'object' && entity !== null && 'grantId' in entity
}

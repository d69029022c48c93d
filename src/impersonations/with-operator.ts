import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { judgeFound } from '../host/models.ts'
import { currentRequest } from '../host/request.ts'
import { endsWithin } from '../shared/time.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import type { Impersonations } from './impersonations.ts'
import { keepTrying } from './keep-trying.ts'
import type { PendingEnds } from './pending-ends.ts'

const WORK_NAME = 'ending what an operator runs'
/** How long a sign-out waits for the storage at most, in milliseconds. */
const MAX_WAIT_MS = 2_000

/**
 * Ends what an operator runs when the operator's grant or sign-in at the provider is over. The grant
 * is the one of the actor token, as the redemption noted it. The answer that says that the operator is
 * signed out leaves when the storage has what is still to end (I11).
 *
 * @param tokenLife how long an access token can live, in seconds
 */
export function endWithOperator(
  provider: Provider,
  impersonations: Impersonations,
  pending: PendingEnds,
  tokenLife: number,
): void {
  const accountOf = accountsOfRevocations(provider)
  const endNow = keepTrying(WORK_NAME, tokenLife)
  /** What the storage is to have before the answer of a request leaves. */
  const keptBy = new WeakMap<object, Promise<unknown>[]>()

  function endByOperator(accountId: string | undefined, grants: ReadonlySet<string>): void {
    if (accountId === undefined || grants.size === 0) return
    const ofGrants = ({ note }: SubjectToken) => note?.grant !== undefined && grants.has(note.grant)
    const how = { by: { sub: accountId }, cause: 'operator_signed_out' } as const
    const end = async () => {
      await impersonations.endAll({ actor: accountId }, how, undefined, ofGrants)
    }
    const kept = pending.keep({ filter: { actor: accountId }, how, grants: [...grants] })
    const ctx = currentRequest()
    if (ctx) keptBy.set(ctx, [...(keptBy.get(ctx) ?? []), kept])
    kept.catch(() => {})
    endNow(JSON.stringify([accountId, ...grants]), end)
  }

  provider.use(async function keepSignOut(ctx, next) {
    await next()
    await endsWithin(MAX_WAIT_MS, Promise.allSettled(keptBy.get(ctx) ?? []))
  })

  provider.on('grant.revoked', (ctx, grantId) =>
    endByOperator(accountOf(ctx, grantId), new Set([grantId])),
  )
  provider.on('grant.destroyed', ({ accountId, jti }) => endByOperator(accountId, new Set([jti])))
  provider.on('end_session.success', (ctx) => {
    const { session } = ctx.oidc
    // Signed out of one client alone, the operator stays signed in: its grant is revoked, if any.
    if (!session || Reflect.get(session, 'destroyed') !== true) return
    const authorizations = Object.values(session.authorizations ?? {})
    const grants = authorizations.flatMap(({ grantId }) => grantId ?? [])
    endByOperator(session.accountId, new Set(grants))
  })
}

/** What every model of the provider that belongs to a grant says of it. */
interface OfGrant {
  readonly accountId?: string | undefined
  readonly grantId?: string | undefined
}

/**
 * Whose grant a request revokes: the event tells the grant alone, whose record is gone by then, and
 * so is the code or token that it was revoked by. Its session tells, or what the request found.
 */
function accountsOfRevocations(provider: Provider) {
  const foundBy = new WeakMap<object, OfGrant>()
  const { AuthorizationCode, BackchannelAuthenticationRequest, DeviceCode, RefreshToken } = provider
  const models = [AuthorizationCode, BackchannelAuthenticationRequest, DeviceCode, RefreshToken]
  // Not in every version.
  const preAuthorizedCode: typeof provider.PreAuthorizedCode | undefined =
    provider.PreAuthorizedCode
  for (const model of [...models, provider.AccessToken, preAuthorizedCode]) {
    if (!model) continue
    judgeFound<OfGrant>(model, (found) => {
      const request = currentRequest()
      if (request && found.grantId !== undefined) foundBy.set(request, found)
      return found
    })
  }

  return (ctx: KoaContextWithOIDC, grantId: string): string | undefined => {
    const { session } = ctx.oidc
    const grants = Object.values(session?.authorizations ?? {}).map((each) => each.grantId)
    if (session?.accountId !== undefined && grants.includes(grantId)) return session.accountId
    const found = foundBy.get(ctx)
    return found?.grantId === grantId ? found.accountId : undefined
  }
}

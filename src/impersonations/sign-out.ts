import type { AccessToken, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { hasEnding } from '../adapters/contract.ts'
import { afterGrantDestroyed, beforeDestroy } from '../host/models.ts'
import { currentRequest } from '../host/request.ts'
import type { EndOptions } from '../public/objects.ts'
import { MAX_CHAIN, parseAct, personAndSoftware } from '../shared/act.ts'
import { IMPERSONATION_ID_CLAIM, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { endsWithin } from '../shared/time.ts'
import { type SubjectToken, subjectTokensOf } from '../tokens/subject-token.ts'
import { endImpersonation, endMatching, hasEnded } from './end.ts'
import { keepPendingEnd } from './pending-ends.ts'
import { endingsOf } from './retry.ts'

/** How long a sign-out waits for the storage at most, in milliseconds. */
const MAX_WAIT_MS = 2_000

/**
 * Ends what an operator runs when the operator's grant or sign-in at the provider is over. The grant
 * is the one of the actor token, as the redemption noted it. The answer that says that the operator is
 * signed out leaves when the storage has what is still to end (an end ends, I11).
 */
export function endWithOperator(provider: Provider): void {
  /** What the storage is to have before the answer of a request leaves. */
  const keptBy = new WeakMap<object, Promise<unknown>[]>()

  function endByOperator(accountId: string | undefined, grants: ReadonlySet<string>): void {
    if (accountId === undefined || grants.size === 0) return
    const filter = { actor: accountId }
    const how = { by: { sub: accountId }, cause: 'operator_signed_out' } as const
    const only = ({ note }: SubjectToken) => note?.grant !== undefined && grants.has(note.grant)
    const kept = keepPendingEnd(provider, { filter, how, grants: [...grants] })
    const ctx = currentRequest()
    if (ctx) keptBy.set(ctx, [...(keptBy.get(ctx) ?? []), kept])
    kept.catch(() => {})
    const key = JSON.stringify([accountId, ...grants])
    endingsOf.of(provider)(key, () => endMatching(provider, filter, { how, only }))
  }

  provider.use(async function keepSignOut(ctx, next) {
    await next()
    const kept = keptBy.get(ctx)
    if (kept) await endsWithin(MAX_WAIT_MS, Promise.allSettled(kept))
  })

  afterGrantDestroyed(provider, ({ id, accountId }) => endByOperator(accountId, new Set([id])))
  // A client whose authorization outlives the sign-out keeps its grant, and so may the rule of the deployment.
  provider.on('end_session.success', ({ oidc: { session } }) => {
    // Signed out of one client alone, the operator stays signed in: its grant is destroyed, if any.
    if (!session || Reflect.get(session, 'destroyed') !== true) return
    const authorizations = Object.values(session.authorizations ?? {})
    const grants = authorizations.flatMap(({ grantId }) => grantId ?? [])
    endByOperator(session.accountId, new Set(grants))
  })
}

/**
 * Lets the provider find an opaque impersonated token only as long as its impersonation has not ended, at
 * introspection and everywhere else. What can act can be ended (I14): also where no impersonation can be
 * ended here.
 *
 * @returns finds an opaque access token by its value, whether its impersonation has ended or not
 */
export function judgeByEnds(
  provider: Provider,
): (value: string) => Promise<AccessToken | undefined> {
  const { AccessToken: model } = provider
  const { find } = model
  const findEvenEnded = (value: string): Promise<AccessToken | undefined> =>
    Reflect.apply(find, model, [value])
  if (!hasEnding(subjectTokensOf.of(provider).adapter)) return findEvenEnded
  const findLiving = async (...args: unknown[]) => {
    const token: AccessToken | undefined = await Reflect.apply(find, model, args)
    const id = token && findImpersonationId(token)
    return id !== undefined && (await hasEnded(provider, id)) ? undefined : token
  }
  Object.assign(model, { find: findLiving })
  return findEvenEnded
}

/**
 * Ends an impersonation when its opaque access token is destroyed: at the revocation endpoint
 * (RFC 7009), or by code of the deployment. The end comes first, so that what fails in between can be
 * asked for again.
 */
export function endWithOpaqueToken(provider: Provider): void {
  beforeDestroy(provider.AccessToken, async (token) => {
    const id = findImpersonationId(token)
    if (id === undefined) return
    const ctx = currentRequest()
    await endImpersonation(provider, id, deriveEndOptions(token, ctx), ctx)
  })
}

/**
 * As at `current/end`: where the client that it was issued to revokes it, the operator does. Of a
 * token that is bound that is not known: the revocation endpoint asks for no proof.
 */
function deriveEndOptions(token: AccessToken, ctx: KoaContextWithOIDC | undefined): EndOptions {
  const { actor: by } = personAndSoftware(parseAct(token.extra?.act, MAX_CHAIN))
  const isOwn = token.clientId !== undefined && ctx?.oidc.client?.clientId === token.clientId
  return by && isOwn && !token.isSenderConstrained() ? { by: { sub: by.sub } } : {}
}

function findImpersonationId({ gty, extra }: AccessToken): string | undefined {
  if (gty !== TOKEN_EXCHANGE_GRANT_TYPE) return undefined
  const id = extra?.[IMPERSONATION_ID_CLAIM]
  return typeof id === 'string' ? id : undefined
}

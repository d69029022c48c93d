import type { AccessToken, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { afterGrantDestroyed, beforeTokenDestroyed, judgeFoundTokens } from '../host/patches.ts'
import { currentRequest } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import type { EndOptions } from '../public/objects.ts'
import { actorOf, personIn } from '../shared/act.ts'
import { IMPERSONATION_ID_CLAIM, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { nonEmptyText } from '../shared/text.ts'
import { endsWithin, limitTime } from '../shared/time.ts'
import { endImpersonation, endMatching, hasEnded } from './end.ts'
import { isOver, listTokens, lookUpOf } from './list.ts'
import { endMarked, isConcernedBy, type Mark, markFrom, marksOf, storeMark } from './marks.ts'

/** The longest wait of a sign-out for the storage, in milliseconds. */
const MAX_WAIT_MS = 2_000

/**
 * The grants of one operator whose sign-in is over, by their ids. A destroyed one has `true`. A
 * client whose authorization outlives the sign-out keeps its grant.
 */
type SignedOutGrants = Map<string, boolean>

/**
 * Ends an operator's impersonations when the operator's grant or sign-in at the provider is over.
 * The grant is that of the actor token, as the redemption stored it. The look-up starts after the
 * last destroy of a request, so that it happens once, however many grants the request destroys.
 */
export function followSignOuts(provider: Provider): void {
  /** Grants by request, and by operator. */
  const signedOutIn = new WeakMap<object, Map<string, SignedOutGrants>>()

  /** Collects grants until the request is over; `undefined` outside of a request. */
  function collectedOf(operator: string): SignedOutGrants | undefined {
    const operators = signedOutIn.get(currentRequest() ?? provider)
    const grants = operators?.get(operator) ?? new Map()
    operators?.set(operator, grants)
    return operators && grants
  }

  provider.use(async function endWhatSignedOutOperatorsRun(ctx, next) {
    const operators = new Map<string, SignedOutGrants>()
    signedOutIn.set(ctx, operators)
    try {
      await next()
    } finally {
      signedOutIn.delete(ctx)
      const looks = [...operators].map(([operator, grants]) => signOut(provider, operator, grants))
      if (looks.length > 0) await endsWithin(MAX_WAIT_MS, Promise.all(looks))
    }
  })

  afterGrantDestroyed(provider, (id, accountId) => {
    if (accountId === undefined) return
    const collected = collectedOf(accountId)
    if (collected) collected.set(id, true)
    else void signOut(provider, accountId, new Map([[id, true]]))
  })
  provider.on('end_session.success', ({ oidc: { session } }) => {
    // After a sign-out of one client alone, the operator stays signed in. Its grant is destroyed,
    // if any.
    if (!session?.accountId || Reflect.get(session, 'destroyed') !== true) return
    const collected = collectedOf(session.accountId)
    for (const { grantId } of Object.values(session.authorizations ?? {})) {
      if (grantId !== undefined && !collected?.has(grantId)) collected?.set(grantId, false)
    }
  })
}

/**
 * Resolves when the storage has the pending ends. It never rejects, so the host's sign-out goes
 * on.
 */
async function signOut(
  provider: Provider,
  operator: string,
  grants: SignedOutGrants,
): Promise<void> {
  const filter = { actor: operator }
  const how = { by: { sub: operator }, cause: 'operator_signed_out' } as const
  const ids = [...grants.keys()]
  const mark = markFrom(filter, how, ids)
  const look = async () => {
    // Exchanges notice a destroyed grant. If a grant outlives the sign-out, they need a mark.
    const outliving = ids.filter((id) => !grants.get(id))
    if (outliving.length > 0) {
      await storeMark(provider, marksOf(operator), markFrom(filter, how, outliving))
    }
    return runsAny(provider, mark)
  }
  // The operator may have an impersonation if the look-up fails.
  if (!(await limitTime(MAX_WAIT_MS, look()).catch(() => true))) return
  const { promise: marked, resolve } = Promise.withResolvers<void>()
  const run = () => endMatching(provider, filter, how, isConcernedBy(mark))
  instance(provider).endings(mark.id, () => endMarked(provider, mark, run, resolve))
  await marked
}

async function runsAny(provider: Provider, mark: Mark): Promise<boolean> {
  const isConcerned = isConcernedBy(mark)
  for await (const tokens of listTokens(provider, lookUpOf(mark.filter))) {
    if (tokens.some((token) => isConcerned(token) && !token.end && !isOver(token))) return true
  }
  return false
}

/**
 * Lets the provider find an opaque impersonated token only as long as its impersonation has not
 * ended, at introspection and everywhere else. What can act can be ended (I14), so this holds even
 * if no impersonation can be ended here.
 *
 * @returns a function that finds an opaque access token by its value, whether its impersonation
 * has ended or not
 */
export function judgeByEnds(
  provider: Provider,
): (value: string) => Promise<AccessToken | undefined> {
  return judgeFoundTokens(provider, async (token) => {
    const id = findImpersonationId(token)
    return id !== undefined && hasEnded(provider, id)
  })
}

/**
 * Ends an impersonation when its opaque access token is destroyed: at the revocation endpoint (RFC
 * 7009), or by code of the deployment. The end comes first, so that a failure in between can be
 * repeated.
 */
export function followRevocations(provider: Provider): void {
  beforeTokenDestroyed(provider, async (token) => {
    const id = findImpersonationId(token)
    if (id === undefined) return
    const ctx = currentRequest()
    await endImpersonation(provider, id, deriveEndOptions(token, ctx), ctx)
  })
}

/**
 * Derives the options as at `current/end`: if the client that it was issued to revokes it, the
 * operator does. For a bound token that is unknown, because the revocation endpoint requires no
 * proof.
 */
function deriveEndOptions(token: AccessToken, ctx: KoaContextWithOIDC | undefined): EndOptions {
  const isOwn = token.clientId !== undefined && ctx?.oidc.client?.clientId === token.clientId
  if (!isOwn || token.isSenderConstrained()) return {}
  return { by: actorOf(personIn(token.extra?.act)) }
}

function findImpersonationId({ gty, extra }: AccessToken): string | undefined {
  if (gty !== TOKEN_EXCHANGE_GRANT_TYPE) return undefined
  return nonEmptyText(extra?.[IMPERSONATION_ID_CLAIM])
}

import type { Provider } from 'oidc-provider'
import { afterGrantDestroyed } from '../host/models.ts'
import { currentRequest } from '../host/request.ts'
import { MAX_ACCESS_TOKEN_TTL } from '../shared/constants.ts'
import { endsWithin } from '../shared/time.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import { endMatching } from './end.ts'
import { keepPendingEnd } from './pending-ends.ts'
import { keepTrying } from './retry.ts'

const WORK_NAME = 'ending what an operator runs'
/** How long a sign-out waits for the storage at most, in milliseconds. */
const MAX_WAIT_MS = 2_000

/**
 * Ends what an operator runs when the operator's grant or sign-in at the provider is over. The grant
 * is the one of the actor token, as the redemption noted it. The answer that says that the operator is
 * signed out leaves when the storage has what is still to end (an end ends, I11).
 */
export function endWithOperator(provider: Provider): void {
  const endNow = keepTrying(WORK_NAME, MAX_ACCESS_TOKEN_TTL)
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
    endNow(JSON.stringify([accountId, ...grants]), async () => {
      await endMatching(provider, filter, { how, only })
    })
  }

  provider.use(async function keepSignOut(ctx, next) {
    await next()
    await endsWithin(MAX_WAIT_MS, Promise.allSettled(keptBy.get(ctx) ?? []))
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

import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { AuditTrail } from '../events/trail.ts'
import { failureKey, limit } from '../policy/limits.ts'
import { TooManyRequests } from '../shared/errors.ts'
import { type ExchangeParts, exchanger } from './exchange.ts'

/**
 * Grant handler. Runs the exchange, counts failed attempts (`limits.failedExchanges`) and emits one
 * audit event for each request.
 *
 * @param onReplay called for a subject token that was presented again, by its id; must return at once
 * @param endUnrecorded ends what was issued and not recorded, by its id; must return at once
 */
export function tokenExchangeHandler(
  provider: Provider,
  parts: ExchangeParts,
  onReplay: (id: string) => void = () => {},
  endUnrecorded: (id: string) => void = () => {},
): (ctx: TokenEndpointGrantContext) => Promise<void> {
  const exchange = exchanger(provider, parts)
  const { failedExchanges } = parts.options.limits

  return async function tokenExchange(ctx) {
    const trail = new AuditTrail(provider, ctx, 'exchange')
    const { client } = ctx.oidc
    const key = failedExchanges ? failureKey(client, ctx.ip) : ''
    trail.note({ client: client.clientId })
    try {
      if (failedExchanges) await limit(failedExchanges, key, 0)
      await exchange(ctx, trail)
    } catch (thrown) {
      // The client must retry with the DPoP nonce just sent (RFC 9449 §8). Not a failure: not counted,
      // no event.
      if (thrown instanceof errors.UseDpopNonce) throw thrown
      const error = await refusal(thrown, () => limit(failedExchanges, key, 1))
      if (error instanceof TooManyRequests) ctx.set('Retry-After', String(error.retryAfter))
      const isPublic = error instanceof errors.OIDCProviderError && error.expose
      trail.failed(error, isPublic ? error.error : 'server_error')
      if (trail.replayed !== undefined) onReplay(trail.replayed)
      throw error
    }
    await trail.succeeded((id) => {
      ctx.body = undefined
      endUnrecorded(id)
    })
  }
}

/**
 * What to answer: the protocol error, or 429 instead of one too many of them. I5: every other error
 * is a 500.
 */
async function refusal(thrown: unknown, countFailure: () => Promise<void>): Promise<Error> {
  if (thrown instanceof TooManyRequests) return thrown
  if (!(thrown instanceof errors.OIDCProviderError)) return trouble(thrown)
  try {
    await countFailure()
    return thrown
  } catch (tooMany) {
    if (!(tooMany instanceof TooManyRequests)) {
      return trouble(tooMany)
    }
    // The client learns nothing more; the audit gets the first error.
    tooMany.cause = thrown
    return tooMany
  }
}

/**
 * The error itself, for `server_error`, where the provider answers it with 500: it takes the status
 * and the words of an answer from what the error has.
 */
function trouble(thrown: unknown): Error {
  const isPlain = thrown instanceof Error && !('statusCode' in thrown) && !('expose' in thrown)
  return isPlain ? thrown : new Error('token exchange failed', { cause: thrown })
}

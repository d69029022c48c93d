import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { AuditTrail } from '../audit/trail.ts'
import { failureKey, limit, TooManyRequests } from '../policy/rate-limit.ts'
import { type ExchangeParts, exchanger } from './exchange.ts'

/**
 * Grant handler. Runs the exchange, counts failed attempts (`limits.failedExchanges`) and emits one
 * audit event for each request.
 *
 * @param onReplay told of a subject token that was presented again, by its id; must return at once
 */
export function tokenExchangeHandler(
  provider: Provider,
  parts: ExchangeParts,
  onReplay: (id: string) => void = () => {},
): (ctx: TokenEndpointGrantContext) => Promise<void> {
  const exchange = exchanger(provider, parts)
  const { failedExchanges } = parts.options.limits

  return async function tokenExchange(ctx) {
    const trail = new AuditTrail(provider, ctx, 'exchange')
    const { client } = ctx.oidc
    const key = failedExchanges ? failureKey(client, ctx.ip) : ''
    trail.note({ client: client.clientId })
    try {
      if (failedExchanges) await limit(failedExchanges, ctx, key, 0)
      await exchange(ctx, trail)
    } catch (thrown) {
      // The client must retry with the DPoP nonce just sent (RFC 9449 §8). Not a failure: not counted,
      // no event.
      if (thrown instanceof errors.UseDpopNonce) throw thrown
      const error = await refusal(thrown, () => limit(failedExchanges, ctx, key, 1))
      const told = error instanceof errors.OIDCProviderError && error.expose
      trail.failed(error, told ? error.error : 'server_error')
      if (trail.replayed !== undefined) onReplay(trail.replayed)
      throw error
    }
    trail.succeeded()
  }
}

/**
 * What to answer: the protocol error, or 429 instead of one too many of them. I5: every other error
 * is a 500, whatever status and message it has.
 */
async function refusal(thrown: unknown, countFailure: () => Promise<void>): Promise<Error> {
  if (thrown instanceof TooManyRequests) return thrown
  if (!(thrown instanceof errors.OIDCProviderError)) {
    return new Error('token exchange failed', { cause: thrown })
  }
  try {
    await countFailure()
    return thrown
  } catch (tooMany) {
    if (!(tooMany instanceof TooManyRequests)) {
      return new Error('token exchange failed', { cause: tooMany })
    }
    // The client learns nothing more; the audit gets the first error.
    tooMany.cause = thrown
    return tooMany
  }
}

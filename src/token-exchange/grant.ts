import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { AuditTrail } from '../audit.ts'
import { failureKey, limit, TooManyRequests } from '../rate-limit.ts'
import { type ExchangeParts, exchanger } from './exchange.ts'

/** The handler of the token-exchange grant: an exchange, with its failures counted and all told. */
export function tokenExchangeGrant(
  provider: Provider,
  parts: ExchangeParts,
): (ctx: TokenEndpointGrantContext) => Promise<void> {
  const exchange = exchanger(provider, parts)
  const { failedExchanges } = parts.options.limits

  return async function tokenExchange(ctx) {
    const trail = new AuditTrail(provider, ctx, 'exchange')
    const { client } = ctx.oidc
    const key = failedExchanges ? failureKey(client, ctx.ip) : ''
    trail.note({ client: client.clientId })
    try {
      await limit(failedExchanges, ctx, key, 0)
      await exchange(ctx, trail)
    } catch (thrown) {
      // Half of an exchange with a nonce (RFC 9449 §8), and nobody's failure.
      if (thrown instanceof errors.UseDpopNonce) throw thrown
      const error = await refusal(thrown, () => limit(failedExchanges, ctx, key, 1))
      const told = error instanceof errors.OIDCProviderError && error.expose
      trail.failed(error, told ? error.error : 'server_error')
      throw error
    }
    trail.succeeded()
  }
}

/**
 * What to answer: the protocol error, or 429 instead of one too many of them. I5: an error from
 * below, whatever status it asks for and whatever it says, is a 500.
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
    // The client is not told any more; the audit is.
    tooMany.cause = thrown
    return tooMany
  }
}

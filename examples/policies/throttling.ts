import { type Authorize, TooManyRequests } from 'oidc-provider-impersonation'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

// Requests a minute, of each client and for each operator
const ofClient = new RateLimiterMemory({ keyPrefix: 'client', points: 60, duration: 60 })
const ofOperator = new RateLimiterMemory({ keyPrefix: 'operator', points: 20, duration: 60 })

export const throttled: Authorize = async ({ stage, isPreview, client, actor }) => {
  if (isPreview) return true
  try {
    await ofClient.consume(`${stage}:${client.clientId}`)
    if (actor) await ofOperator.consume(`${stage}:${actor.sub}`)
    return true
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    throw new TooManyRequests(rejection.msBeforeNext / 1000)
  }
}

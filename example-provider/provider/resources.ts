import { type Configuration, errors } from 'oidc-provider'
import { OPERATOR_CLIENTS } from './clients.ts'

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>
type GetResourceServerInfo = NonNullable<ResourceIndicators['getResourceServerInfo']>

export const ORDERS_SCOPES = 'orders:read orders:write'

/** The lifetime of an access token for the orders API, in seconds. */
const ORDERS_TOKEN_TTL = 600

/** `getResourceServerInfo` of oidc-provider: the orders API, only for tokens of users. */
export function resourceServers(baseUrl: string): GetResourceServerInfo {
  const orders = `${baseUrl}/orders`
  return (ctx, resource, client) => {
    const machine = ctx.oidc.params?.grant_type === 'client_credentials'
    if (resource !== orders || machine || !OPERATOR_CLIENTS.includes(client.clientId)) {
      throw new errors.InvalidTarget()
    }
    return {
      scope: ORDERS_SCOPES,
      audience: orders,
      accessTokenFormat: 'jwt',
      accessTokenTTL: ORDERS_TOKEN_TTL,
      jwt: { sign: { alg: 'ES256' } },
    }
  }
}

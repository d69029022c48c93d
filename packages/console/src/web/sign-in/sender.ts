import type { Context } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { bearerToken, judgeToken } from '../http/bearer.ts'
import { Problem } from '../http/problem.ts'

/**
 * Looks tokens up in this process. The token must be alive, opaque, for no other audience, and not bound
 * to a key; the client must still be there, with the grant, and authenticate.
 *
 * @returns a function that finds which of these clients calls, by an access token of its own
 * (`client_credentials`). It throws Problem 401 if the token is absent, or not valid here, 403 for another
 * client, and 503 if that cannot be known now
 */
export function senderOf(provider: Provider, clients: readonly string[]) {
  return async (ctx: Context): Promise<string> => {
    const value = bearerToken(ctx)
    const { clientId } = await judgeToken('the access token cannot be checked now', async () => {
      const token = await provider.ClientCredentials.find(value)
      if (!token?.isValid) return 'unknown, expired or revoked, or not of a client itself'
      const { clientId, aud } = token
      if (clientId === undefined) return 'of no client'
      if (aud !== undefined) return 'for another audience'
      if (token.isSenderConstrained()) return 'bound to a key'
      const client = await provider.Client.find(clientId)
      if (!client) return 'its client is gone'
      if (client.clientAuthMethod === 'none') return 'of a client that does not authenticate'
      if (!client.grantTypeAllowed('client_credentials')) return 'its client has lost the grant'
      return client
    })
    if (clients.includes(clientId)) return clientId
    throw new Problem(403, 'access_denied', 'this client is no sender of uses')
  }
}

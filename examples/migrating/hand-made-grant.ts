// What not to do: docs/migrating.md says what is missing here.

import { type Configuration, errors, type Provider } from 'oidc-provider'

export interface Tickets {
  find(id: string): Promise<{ userId: string; used: boolean } | undefined>
  markUsed(id: string): Promise<void>
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export function registerByHand(provider: Provider, tickets: Tickets): void {
  provider.registerGrantType(
    GRANT_TYPE,
    async (ctx) => {
      const { client, params } = ctx.oidc
      const id = String(params?.subject_token)
      const ticket = await tickets.find(id)
      if (!client || !ticket || ticket.used) throw new errors.InvalidGrant('not redeemable')
      await tickets.markUsed(id)

      const grant = new provider.Grant({ accountId: ticket.userId, clientId: client.clientId })
      grant.addOIDCScope('openid')
      const accessToken = new provider.AccessToken({
        accountId: ticket.userId,
        client,
        grantId: await grant.save(),
        gty: 'token_exchange',
        scope: 'openid',
      })
      ctx.body = {
        access_token: await accessToken.save(),
        token_type: 'Bearer',
        expires_in: accessToken.expiration,
      }
    },
    ['subject_token', 'actor'],
  )
}

export const actByHand: NonNullable<Configuration['extraTokenClaims']> = (ctx) => {
  const actor = ctx.oidc.params?.actor
  return typeof actor === 'string' ? { act: { sub: actor } } : undefined
}

import type { Context } from 'koa'
import type { Account } from 'oidc-provider'
import { type Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { bearerToken, judgeToken } from '../http/bearer.ts'

/** A person who signed in to a page of this package, and calls its API. */
export interface SignedIn {
  readonly id: string
  readonly account: Account
}

/** As {@link SignedIn}, with the access token by which the person came. */
export interface Entered extends SignedIn {
  readonly token: InstanceType<Provider['AccessToken']>
}

/**
 * Looks access tokens up in this process, with the checks that introspection and userinfo of
 * oidc-provider have. The token must be of a person who signed in to this client. It must not be
 * for an API, impersonated, or bound to a key.
 *
 * @returns a function that finds the person of a token, by default of the bearer token of the request. It throws
 * Problem 401 if the token is absent, or not valid here, and 503 if that cannot be known now
 */
export function signedInTo(provider: Provider, clientId: string) {
  return (ctx: Context, value = bearerToken(ctx)): Promise<Entered> =>
    judgeToken('the sign-in cannot be checked now', async () => {
      // `find` returns nothing if the session is over that the token expires with.
      const token = await provider.AccessToken.find(value)
      if (!token?.isValid) return 'unknown, expired or revoked'
      const { accountId, clientId: of, grantId, gty, aud, extra, scopes } = token
      if (of !== clientId) return 'of another client'
      if (typeof accountId !== 'string') return 'not of a person'
      if (gty === TOKEN_EXCHANGE_GRANT_TYPE || extra?.act !== undefined) return 'impersonated'
      if (aud !== undefined) return 'for another audience'
      if (token.isSenderConstrained()) return 'bound to a key'
      if (!scopes.has('openid')) return 'without openid'
      if (grantId === undefined) return 'without a grant'
      const grant = await provider.Grant.find(grantId, { ignoreExpiration: true })
      if (!grant || grant.isExpired) return 'its grant is over'
      if (grant.clientId !== clientId || grant.accountId !== accountId) return 'of another grant'
      if (!(await provider.Client.find(clientId))) return 'its client is gone'
      const account = await findAccount(provider, accountId, ctx)
      return account ? { id: accountId, account, token } : 'its account is gone'
    })
}

import type { Account, Provider, TokenEndpointGrantContext } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../constants.ts'
import {
  createAccessToken,
  type DraftAccessToken,
  generateTokenId,
} from '../oidc-provider-internals.ts'
import type { Target } from './target.ts'

/** The longest that the token may live, in seconds. */
interface Limits {
  readonly maxTtl: number
  readonly accessTokenTtl: number | undefined
}

/** An access token of the user for the target: complete, but neither signed nor stored. */
export function draftAccessToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  account: Account,
  { resourceServer, scope }: Target,
  { maxTtl, accessTokenTtl = maxTtl, jti }: Limits & { jti: string },
): DraftAccessToken {
  const accessToken = createAccessToken(provider, {
    accountId: account.accountId,
    client: ctx.oidc.client,
    gty: TOKEN_EXCHANGE_GRANT_TYPE,
    resourceServer,
    scope,
  })
  // I8: the shortest of what is said about access tokens, about this resource, and about this
  // grant, and by the policy about this one exchange.
  accessToken.expiresIn = Math.min(
    maxTtl,
    accessTokenTtl,
    resourceServer.accessTokenTTL ?? maxTtl,
    accessToken.expiration,
  )
  // The id of an opaque token is its value, drawn at random; there, the stored `gty` tells.
  const id = generateTokenId(accessToken)
  accessToken.jti = accessToken.format === 'jwt' ? jti : id
  return accessToken
}

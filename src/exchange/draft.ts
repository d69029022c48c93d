import type { Client, Provider, ResourceServerInstance } from 'oidc-provider'
import { createAccessToken, type DraftAccessToken, generateTokenId } from '../host/models.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'

/** What the access token may do, and the longest that it may live, in seconds. */
interface Limits {
  readonly scope: string | undefined
  readonly maxTtl: number
  readonly accessTokenTtl?: number | undefined
}

/**
 * An access token of the user for the target: complete, but neither signed nor stored.
 *
 * The deployment's functions that say how long it lives (`ttl.AccessToken`) and how long its id is
 * (`formats.bitsOfOpaqueRandomness`) get a token as well, and may write to it. They get another one:
 * I3, I4.
 */
export function draftAccessToken(
  provider: Provider,
  client: Client,
  { accountId, accessTokenId, longestLife }: SubjectToken,
  resourceServer: ResourceServerInstance,
  { scope, maxTtl, accessTokenTtl = maxTtl }: Limits,
): DraftAccessToken {
  // Use the account that was checked: `authorize` may have changed its own argument.
  const of = { accountId, client, gty: TOKEN_EXCHANGE_GRANT_TYPE }
  const properties = () => ({ ...of, resourceServer, scope })
  const shown = createAccessToken(provider, properties())
  // I8: the shortest of what is set for access tokens, about this resource, and about this
  // grant, and by the policy about this one exchange.
  const expiresIn = Math.min(
    maxTtl,
    accessTokenTtl,
    resourceServer.accessTokenTTL ?? maxTtl,
    shown.expiration,
    // I14. Over 0, because the model takes 0 for "not set".
    Math.max(longestLife, 1),
  )
  const accessToken = createAccessToken(provider, { ...properties(), expiresIn })
  // The provider's own grants make an opaque token where nothing is said. This grant promises a JWT,
  // which names by itself who acts.
  accessToken.format = resourceServer.accessTokenFormat ?? 'jwt'
  // The id of an opaque token is its value, drawn at random; for opaque tokens, the stored `gty` is
  // the mark.
  accessToken.jti = accessToken.format === 'jwt' ? accessTokenId : generateTokenId(shown)
  return accessToken
}

import type { Provider, ResourceServerInstance, TokenEndpointGrantContext } from 'oidc-provider'
import { markImpersonated } from '../claims/act.ts'
import type { AuditTrail } from '../events/trail.ts'
import { createAccessToken, type DraftAccessToken, prepareToSave } from '../host/models.ts'
import { optionsOf } from '../options/defaults.ts'
import type { Permission } from '../policy/authorize.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { epochSeconds } from '../shared/time.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import type { ExchangeRequest } from './request.ts'
import type { Redeemer, Subject } from './subject.ts'

/** An access token that nobody has yet. */
export interface PreparedToken {
  readonly format: string
  /** `undefined` for an opaque token, whose `jti` is its value. */
  readonly jti: string | undefined
  readonly tokenType: string
  /** Seconds. */
  readonly expiresIn: number
  /** Seconds since the epoch. */
  readonly expiresAt: number
  /** Stores it, emits its event, and resolves its value. */
  readonly save: () => Promise<string>
}

/**
 * An access token of the user for the resource server: its claims settled, signed where it is a JWT, and
 * not stored.
 *
 * The deployment's functions get the token and may write to it. What is promised of the token is set after
 * each of them, and is read from nowhere else.
 */
export async function prepareAccessToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
  { actor, software, token: subjectToken }: Redeemer & Pick<Subject, 'token'>,
  resourceServer: ResourceServerInstance,
  permission: Permission,
  trail: AuditTrail,
): Promise<PreparedToken> {
  const { client, clientId, certificate, dPoP } = request
  const gty = TOKEN_EXCHANGE_GRANT_TYPE
  // The account that was checked: `authorize` may have changed its own argument.
  const { accountId } = subjectToken
  const settled = { accountId, client, gty, resourceServer, scope: permission.scope }
  const token = createAccessToken(provider, settled)
  const iat = epochSeconds()
  const expiresIn = lifeOf(provider, token, subjectToken, resourceServer, permission)
  const exp = iat + expiresIn
  // The provider's own grants make an opaque token where nothing is said. This grant promises a JWT,
  // which names by itself who acts.
  const format = resourceServer.accessTokenFormat ?? 'jwt'
  // The id of an opaque token is its value, drawn at random: it stays out of events.
  const isJwt = format === 'jwt'
  const jti = isJwt ? subjectToken.accessTokenId : token.generateTokenId()
  if (!isJwt) trail.conceal(jti)
  Object.assign(token, settled, { expiresIn, format, jti, iat, exp })
  // RFC 9449 §6, RFC 8705 §3.
  if (certificate) token.setThumbprint('x5t', certificate)
  if (dPoP) token.setThumbprint('jkt', dPoP.thumbprint)
  const { tokenType } = token
  const shown = isJwt ? jti : undefined
  markImpersonated(token, { actor, client, software, subjectToken }, { jti: shown, exp })
  ctx.oidc.entity('AccessToken', token)
  const save = await prepareToSave(provider, token, { accountId, clientId, gty, jti, iat, exp })
  return { format, jti: shown, tokenType, expiresIn, expiresAt: exp, save }
}

/**
 * The shortest of what is set for access tokens, about this resource and about this grant (short, I8), by the
 * policy about this one exchange, and by the record by which it can be ended (what can act can be ended,
 * I14).
 */
function lifeOf(
  provider: Provider,
  token: DraftAccessToken,
  { longestLife }: SubjectToken,
  { accessTokenTTL }: ResourceServerInstance,
  { accessTokenTtl }: Permission,
): number {
  const { maxTtl } = optionsOf.of(provider).accessToken
  return Math.min(
    maxTtl,
    accessTokenTtl ?? maxTtl,
    accessTokenTTL ?? maxTtl,
    token.expiration,
    // Over 0, because the model takes 0 for "not set".
    Math.max(longestLife, 1),
  )
}

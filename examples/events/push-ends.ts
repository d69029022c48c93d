// Tells your APIs of each end at once, by a security event token (RFC 8417).
import { randomUUID } from 'node:crypto'
import { type CryptoKey, SignJWT } from 'jose'
import type { Provider } from 'oidc-provider-impersonation'

const SESSION_REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'

/** @param send delivers it, by a POST (RFC 8935) for example; what fails is lost */
export function pushEnds(
  provider: Provider,
  key: CryptoKey,
  audience: string,
  send: (token: string) => Promise<void>,
): void {
  provider.on('impersonation.ended', async (_ctx, { id, end }) => {
    const { issuer } = provider
    const sub_id = { format: 'jwt_id', iss: issuer, jti: `impersonation:${id}` }
    const event = { event_timestamp: end?.at, reason_admin: { en: end?.cause } }
    const token = await new SignJWT({ sub_id, events: { [SESSION_REVOKED]: event } })
      .setProtectedHeader({ alg: 'ES256', typ: 'secevent+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setJti(randomUUID())
      .sign(key)
    await send(token)
  })
}

import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type Deployment, signingKey } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { signIn } from '../support/sign-in.ts'

export type Tokens = Awaited<ReturnType<typeof tokensOf>>

/** Access tokens of a real provider, and others that a resource server must refuse. */
export async function tokensOf(deployment: Deployment) {
  const { orders: resource } = deployment
  const { access_token: own, id_token } = await signIn(deployment, 'alice', {
    scope: 'openid orders:read',
    resource,
  })
  if (!id_token) throw new Error('no ID token')
  const actor_token = await deployment.actorToken()
  const named = await deployment.impersonate({ actor_token })
  const nameless = await deployment.impersonate()
  const key = await dpopKey()
  const dpop = await key.proof({ htu: `${deployment.issuer}/token` })
  const bound = await deployment.impersonate({}, { dpop })

  const claims = decodeJwt(own)
  const hour = 3600
  const now = Math.floor(Date.now() / 1000)
  const stranger = await generateKeyPair('ES256', { extractable: true })
  return {
    /** The user has signed in. */
    own,
    /** An operator acts for the user, and the token names the operator. */
    named: named.token,
    /** An operator acts for the user, and the token has no `act`. */
    nameless: nameless.token,
    /** Like `own`, but each wrong in one way. */
    refused: {
      'with a broken signature': `${own.slice(0, own.lastIndexOf('.'))}.${'A'.repeat(86)}`,
      'signed by another key': await signed(claims, {}, await exportJWK(stranger.privateKey)),
      'signed by a key with another name': await signed(claims, { kid: 'other' }),
      'without a signature': unsigned(claims),
      'of another issuer': await signed({ ...claims, iss: 'https://other.example.com' }),
      'for another audience': await signed({ ...claims, aud: 'https://other.example.com' }),
      expired: await signed({ ...claims, iat: now - 2 * hour, exp: now - hour }),
      'of another type': await signed(claims, { typ: 'JWT' }),
      'that is an ID token': id_token,
      'that is bound to a key': bound.token,
    },
  }
}

export async function signed(claims: JWTPayload, header = {}, key = signingKey): Promise<string> {
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
    .sign(await importJWK(key, 'ES256'))
}

function unsigned(claims: JWTPayload): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode({ alg: 'none', typ: 'at+jwt', kid: 'test' })}.${encode(claims)}.`
}

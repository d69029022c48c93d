import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'

export type DPoPKey = Awaited<ReturnType<typeof dpopKey>>

/** A DPoP key, and proofs signed with it. RFC 9449 §4.2. */
export async function dpopKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    proof: (claims: { htm?: string; htu: string; ath?: string; [name: string]: unknown }) =>
      new SignJWT({
        jti: randomUUID(),
        iat: Math.floor(Date.now() / 1000),
        htm: 'POST',
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey),
  }
}

export function athOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url')
}

import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Form } from './http.ts'
import type { Answer } from './outcome.ts'
import type { Server } from './server.ts'

/** An exchange with a DPoP proof of a new key: once more with the nonce, where one is asked for. */
export async function dpopProof(
  server: Server,
  form: Form,
): Promise<{ readonly answer: Answer; readonly thumbprint: string }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  const url = server.endpoint('token', 'token_endpoint')
  const { client } = server.configuration.exchange
  const send = async (nonce?: string) => {
    const claims = { jti: randomUUID(), htm: 'POST', htu: url, ...(nonce ? { nonce } : {}) }
    const proof = await new SignJWT(claims)
      .setIssuedAt()
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .sign(privateKey)
    const what = 'an exchange with a DPoP proof'
    return server.postForm(url, what, server.exchangeForm(form), client, { dpop: proof })
  }
  const first = await send()
  const nonce = first.headers.get('dpop-nonce')
  const isAsked = first.json.error === 'use_dpop_nonce' && nonce !== null
  const answer = isAsked ? await send(nonce) : first
  return { answer, thumbprint: await calculateJwkThumbprint(jwk) }
}

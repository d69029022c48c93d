import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** A new private key that signs with this algorithm. */
export async function newKey(alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig' }
}

import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { type SealsOptions, type Sign, startSeals } from '../../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { MARKS, NO_END, writer } from '../stores/contract/support.ts'

export const ISSUER = 'https://id.example.com'
export const TYPE = 'impersonation-audit-checkpoint+jwt'

/** A provider that signs. */
export async function signer({ issuer = ISSUER, kid = 'a', typ = TYPE } = {}) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const sign: Sign = (checkpoint) =>
    new SignJWT({ checkpoint })
      .setProtectedHeader({ alg: 'ES256', kid, typ })
      .setIssuer(issuer)
      .setIssuedAt()
      .sign(privateKey)
  return { jwk, sign }
}

/** The key of all processes of a test. */
export const SHARED_KEY = Buffer.from('a key of all processes of one test')
export const signShared: Sign = (checkpoint) =>
  new SignJWT({ checkpoint })
    .setProtectedHeader({ alg: 'HS256', typ: TYPE })
    .setIssuer(ISSUER)
    .setIssuedAt()
    .sign(SHARED_KEY)

const provider = await signer()
/** The public keys of the provider that signs where a test has none of its own. */
export const KEYS = { keys: [provider.jwk] }

/** The seals of a process, which are made when a test wants it. */
export function sealsOf(store: AuditStore, options: Partial<SealsOptions> = {}) {
  const { log } = writer(store)
  return startSeals({
    ...{ store, marks: MARKS, sign: provider.sign, isTimed: false },
    async recordSurely(entry, id = 'i'.repeat(22)) {
      await log.append([{ id, entry }], NO_END)
    },
    ...options,
  })
}

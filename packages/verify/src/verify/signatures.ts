import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { reasonOf } from '../format/reason.ts'
import { isProof, isSeal, type Seal, sealInJws } from '../format/seal.ts'
import { Broken, type Position } from './broken.ts'

const JWS_TYPE = 'impersonation-audit-checkpoint+jwt'

/** The keys, and who has to have signed. */
export interface Signer {
  readonly keys: JWTVerifyGetKey
  /** The only one that may sign; `undefined` for any whose key is among the keys. */
  readonly issuer?: string | undefined
}

/** A seal, with who signed it. */
export interface JudgedSeal extends Seal {
  /** `undefined` where it is signed with a key that is not known: then only a later seal vouches for it. */
  readonly issuer: string | undefined
}

/** @throws Broken */
export async function judgeSeal(jws: string, signer: Signer, at: Position): Promise<JudgedSeal> {
  const signed = await signedIn(jws, signer, 'the seal', at)
  const seal = signed ? signed.claims : sealInJws(jws)
  if (isSeal(seal)) return { ...seal, issuer: signed?.issuer }
  throw new Broken('the seal cannot be read', at)
}

/**
 * An unknown key proves nothing: anybody who can write to the storage can add a seal of their own.
 */
export const unknownKey = (what: string) =>
  `no key of the key set signed ${what}. Give the keys of that time, too`

/** @throws Broken */
export async function judgeProof(jws: string, signer: Signer, at: Position) {
  const signed = await signedIn(jws, signer, 'the signature of the file', at)
  if (!signed) throw new Broken(unknownKey('the file'), at)
  const { claims, issuer } = signed
  if (isProof(claims)) return { ...claims, issuer }
  throw new Broken('what is signed is no proof of an impersonation', at)
}

/** @returns `undefined` where the key is not known @throws Broken */
async function signedIn(jws: string, { keys, issuer }: Signer, what: string, at: Position) {
  try {
    const { iss = '', checkpoint: claims } = await payloadIn(jws, keys)
    if (issuer === undefined || iss === issuer) return { claims, issuer: iss }
    throw new Broken(`${what} is of another issuer: ${iss}`, at)
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined
    if (error instanceof Broken) throw error
    throw new Broken(`${what} is not valid: ${reasonOf(error)}`, at, error)
  }
}

/** Several files may have a key, and two keys one `kid`: each is tried. */
async function payloadIn(jws: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
  const options = { typ: JWS_TYPE, requiredClaims: ['iss', 'iat'] }
  try {
    return (await jwtVerify(jws, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const tried = await jwtVerify(jws, key, options).catch(() => undefined)
      if (tried) return tried.payload
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

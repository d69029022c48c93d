import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Beginning, beginningOf, claimsOf, type SignedClaims } from '../format/checkpoint.ts'
import type { Erased } from '../format/entry.ts'
import { erasureDigestOf, type SignedErasure, signedErasureOf } from '../format/erasure.ts'
import { reasonOf } from '../format/reason.ts'

const JWS_TYPE = 'impersonation-audit-checkpoint+jwt'

/** A checkpoint whose signature is valid. */
export interface Vouched extends SignedClaims {
  readonly issuer: string
}

interface SignatureProblem {
  readonly problem: string
  readonly isKeyUnknown: boolean
}

export type Judged = { readonly checkpoint: Vouched } | SignatureProblem

/** @param issuer the only one that may sign; `undefined` for any whose key is among the keys */
export async function judge(
  jws: string,
  keys: JWTVerifyGetKey,
  issuer: string | undefined,
): Promise<Judged> {
  const signed = await signedIn(jws, keys, issuer, 'the checkpoint')
  if ('problem' in signed) return signed
  const claims = claimsOf(signed.claims)
  return claims
    ? { checkpoint: { ...claims, issuer: signed.issuer } }
    : problem('the checkpoint cannot be read')
}

/** What the provider signed at the beginning of a chain. */
export async function judgeBeginning(
  jws: string,
  keys: JWTVerifyGetKey,
  issuer: string,
): Promise<{ readonly beginning: Beginning } | SignatureProblem> {
  const signed = await signedIn(jws, keys, issuer, 'the signature of its chain')
  if ('problem' in signed) return signed
  const beginning = beginningOf(signed.claims)
  return beginning ? { beginning } : problem('what is signed is not the beginning of a chain')
}

/** What the provider signed of an erasure. */
export async function judgeErasure(
  { signed: jws, ...ids }: Erased,
  keys: JWTVerifyGetKey,
  issuer: string,
): Promise<{ readonly erasure: SignedErasure } | SignatureProblem> {
  const signed = await signedIn(jws, keys, issuer, 'the signature of the erasure')
  if ('problem' in signed) return signed
  const erasure = signedErasureOf(signed.claims)
  if (!erasure) return problem('what is signed is no erasure')
  return erasure.erases === erasureDigestOf(ids)
    ? { erasure }
    : problem('the provider signed the erasure of something else')
}

/** @param what how it is called in problems */
async function signedIn(
  jws: string,
  keys: JWTVerifyGetKey,
  issuer: string | undefined,
  what: string,
): Promise<{ readonly claims: unknown; readonly issuer: string } | SignatureProblem> {
  try {
    const { payload } = await jwtVerify(jws, keys, {
      typ: JWS_TYPE,
      requiredClaims: ['iss', 'iat'],
    })
    const { iss = '', checkpoint } = payload
    if (issuer === undefined || iss === issuer) return { claims: checkpoint, issuer: iss }
    return problem(`${what} is of another issuer: ${iss}`)
  } catch (error) {
    const isKeyUnknown = error instanceof errors.JWKSNoMatchingKey
    const why = isKeyUnknown ? 'no key of the key set signed it' : reasonOf(error)
    return { problem: `${what} is not valid: ${why}`, isKeyUnknown }
  }
}

function problem(text: string): SignatureProblem {
  return { problem: text, isKeyUnknown: false }
}

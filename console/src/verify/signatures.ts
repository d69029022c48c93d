import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { claimsOf, type SignedClaims } from '../audit/checkpoint.ts'
import { reasonOf } from '../reason.ts'

const TYPE = 'impersonation-audit-checkpoint+jwt'

/** A checkpoint whose signature is valid. */
export interface Vouched extends SignedClaims {
  readonly issuer: string
}

export type Judged =
  | { readonly checkpoint: Vouched }
  | { readonly problem: string; readonly isKeyUnknown: boolean }

/** @param issuer the only one that may sign; `undefined` for any whose key is among the keys */
export async function judge(
  jws: string,
  keys: JWTVerifyGetKey,
  issuer: string | undefined,
): Promise<Judged> {
  try {
    const { payload } = await jwtVerify(jws, keys, { typ: TYPE, requiredClaims: ['iss', 'iat'] })
    const { iss = '', checkpoint } = payload
    if (issuer !== undefined && iss !== issuer) {
      return problem(`the checkpoint is of another issuer: ${iss}`)
    }
    const claims = claimsOf(checkpoint)
    return claims
      ? { checkpoint: { ...claims, issuer: iss } }
      : problem('the checkpoint cannot be read')
  } catch (error) {
    const isKeyUnknown = error instanceof errors.JWKSNoMatchingKey
    const why = isKeyUnknown ? 'no key of the key set signed it' : reasonOf(error)
    return { problem: `the checkpoint is not valid: ${why}`, isKeyUnknown }
  }
}

function problem(text: string): Judged {
  return { problem: text, isKeyUnknown: false }
}

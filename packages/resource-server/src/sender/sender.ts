import { publicUrl } from '../public-url.ts'
import { invalidToken, refusedBy } from '../refusal.ts'
import type { Presented } from '../request.ts'
import { certificateThumbprint, type GetCertificate } from './certificate.ts'
import { confirmationFrom } from './confirmation.ts'
import type { ResolvedDPoPOptions } from './dpop-options.ts'
import { invalidProof, verifyProof } from './proof.ts'

/** What the guard can check of a sender; `undefined` means: no check of this kind. */
export interface SenderOptions {
  readonly dPoP: ResolvedDPoPOptions | undefined
  readonly getCertificate: GetCertificate | undefined
}

/**
 * Checks that a request comes from the client that its access token is bound to, by all that it is
 * bound to.
 *
 * @param cnf - the claim of the access token, which is authentic
 * @throws RequestRefused for another sender; any other error is a failure of the API itself
 */
export async function verifySender(
  presented: Presented,
  { accessToken, cnf }: { accessToken: string; cnf: unknown },
  { dPoP, getCertificate }: SenderOptions,
): Promise<void> {
  const { jkt, x5t } = confirmationFrom(cnf)
  // RFC 9449 §7.2: a protected resource "MUST reject a DPoP-bound access token received as a bearer
  // token".
  if (jkt !== undefined && (!dPoP || presented.scheme !== 'DPoP')) {
    throw invalidToken('a sender-constrained access token is no bearer token')
  }
  // §7.1: it must "check that the public key of the DPoP proof matches the public key to which the
  // access token is bound", and "MUST NOT grant access to the resource unless all checks are
  // successful".
  if (jkt === undefined && presented.scheme === 'DPoP') {
    throw invalidToken('access token is not bound to a DPoP key')
  }
  if (x5t !== undefined) {
    if (!getCertificate) throw invalidToken('a sender-constrained access token is no bearer token')
    // RFC 8705 §3: "If they do not match, the resource access attempt MUST be rejected with an
    // error, per [RFC6750], using an HTTP 401 status code and the invalid_token error code."
    if ((await certificateThumbprint(presented, getCertificate)) !== x5t) {
      throw invalidToken('access token is not bound to the client certificate of this request')
    }
  }
  if (jkt !== undefined && dPoP) await proveKey(presented, { accessToken, jkt }, dPoP)
}

async function proveKey(
  presented: Presented,
  { accessToken, jkt }: { accessToken: string; jkt: string },
  dPoP: ResolvedDPoPOptions,
): Promise<void> {
  const { proof, method } = presented
  const expected = { accessToken, jkt, method, url: publicUrl(presented, dPoP) }
  const { id, expiresAt } = await verifyProof(proof, expected, dPoP)
  const first = await dPoP.replayStore.isFirstUse(id, expiresAt)
  if (typeof first !== 'boolean') {
    throw new TypeError('resourceServer.dPoP.replayStore.isFirstUse must answer true or false')
  }
  // §11.1: requests "for which the jti value has been seen before would be declined".
  if (!first) throw refusedBy('replay', invalidProof('was used before'))
}

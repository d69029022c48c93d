import { hash, X509Certificate } from 'node:crypto'
import { invalidToken, refusedBy } from '../refusal.ts'
import type { ApiRequest, Presented } from '../request.ts'
import type { ResolvedDPoPOptions } from './dpop-options.ts'
import { invalidProof, verifyProof } from './proof.ts'
import { publicUrl } from './public-url.ts'

/** A certificate: PEM, DER, or parsed. If a PEM holds a chain, its first certificate counts. */
export type Certificate = string | Uint8Array | X509Certificate

/** Returns the client certificate that TLS verified for a request, or nothing. */
export type GetCertificate = {
  // A method's parameter may be declared narrower, as the request of the framework in use.
  method(request: ApiRequest): Certificate | undefined | Promise<Certificate | undefined>
}['method']

/** The checks of a sender; `undefined` disables a check. */
export interface SenderOptions {
  readonly dPoP: ResolvedDPoPOptions | undefined
  readonly getCertificate: GetCertificate | undefined
}

/**
 * Checks that a request comes from the client that its access token is bound to. It checks every
 * binding.
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
  // RFC 9449 §7.2: a protected resource "MUST reject a DPoP-bound access token received as a
  // bearer token".
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

/** The bindings of an access token. An absent member means no binding. */
interface Confirmation {
  /** The thumbprint of a key. RFC 9449 §6.1. */
  readonly jkt: string | undefined
  /** The thumbprint of a certificate. RFC 8705 §3.1. */
  readonly x5t: string | undefined
}

/**
 * Reads a `cnf` claim. RFC 7800 §3.1 lets an unknown member be ignored; here it is refused,
 * because a token that is bound in an unknown way would pass as one that is not bound.
 *
 * @throws RequestRefused for a binding that cannot be checked
 */
export function confirmationFrom(cnf: unknown): Confirmation {
  if (cnf === undefined) return { jkt: undefined, x5t: undefined }
  const members: Record<string, unknown> = typeof cnf === 'object' ? { ...cnf } : {}
  const { jkt, 'x5t#S256': x5t, ...unknown } = members
  if (isThumbprint(jkt) && isThumbprint(x5t) && Object.keys(unknown).length === 0) {
    if (jkt !== undefined || x5t !== undefined) return { jkt, x5t }
  }
  throw invalidToken('access token is bound in a way that is not known here')
}

function isThumbprint(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '')
}

/**
 * Returns the thumbprint of the client certificate of a request; `undefined` if there is none.
 *
 * @throws if `getCertificate` throws, or returns anything but a certificate
 * @see RFC 8705 §3.1
 */
async function certificateThumbprint(
  { request }: Presented,
  getCertificate: GetCertificate,
): Promise<string | undefined> {
  const certificate = request && (await getCertificate(request))
  // A proxy's header is empty if the client showed no certificate.
  if (certificate === undefined || certificate === null || certificate === '') return undefined
  const { raw } =
    certificate instanceof X509Certificate ? certificate : new X509Certificate(certificate)
  return hash('sha256', raw, 'base64url')
}

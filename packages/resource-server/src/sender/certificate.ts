import { hash, X509Certificate } from 'node:crypto'
import type { ApiRequest, Presented } from '../request.ts'

/** A certificate: PEM, DER, or parsed. Of a chain in PEM, the first. */
export type Certificate = string | Uint8Array | X509Certificate

/** Returns the client certificate that TLS verified for a request, or nothing. */
export type GetCertificate = {
  // A method's parameter may be declared narrower: as the request of the framework in use.
  method(request: ApiRequest): Certificate | undefined | Promise<Certificate | undefined>
}['method']

/**
 * The thumbprint of the client certificate of a request; `undefined` where there is none.
 *
 * @throws where `getCertificate` throws, or answers what is no certificate
 * @see RFC 8705 §3.1
 */
export async function certificateThumbprint(
  { request }: Presented,
  getCertificate: GetCertificate,
): Promise<string | undefined> {
  const certificate = request && (await getCertificate(request))
  // A proxy's header is empty where the client showed none.
  if (certificate === undefined || certificate === null || certificate === '') return undefined
  const { raw } =
    certificate instanceof X509Certificate ? certificate : new X509Certificate(certificate)
  return hash('sha256', raw, 'base64url')
}

import { type Client, errors } from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../jwt-access-token.ts'
import type { ResolvedOptions } from '../options.ts'

/** The request shows no credentials that are understood here. RFC 6750 §3.1. */
export class NoCredentials extends errors.InvalidToken {
  override error_description = 'no access token provided'
}

/**
 * Authenticates the machine-to-machine client by its bearer token. RFC 6750 §2.1.
 *
 * @param mayCall whether a client may use the management API at all
 * @throws {@link NoCredentials}, errors.InvalidToken, errors.InsufficientScope
 */
export async function authenticate(
  authorization: string | undefined,
  verifier: AccessTokenVerifier,
  { resource, scope }: ResolvedOptions['managementApi'],
  mayCall: (client: Client) => boolean,
): Promise<Client> {
  const value = bearerToken(authorization)
  let token: VerifiedAccessToken
  let client: Client
  try {
    token = await verifier.client(value)
    // RFC 9068 §4: "The resource server MUST validate that the aud claim contains a resource
    // indicator value corresponding to an identifier the resource server expects for itself."
    if (token.audience !== resource) throw new AccessTokenRejected('for another audience')
    // I10: bound to a key, so not for use as a plain bearer token.
    if (token.jkt !== undefined || token.x5t !== undefined) {
      throw new AccessTokenRejected('sender-constrained, but presented as a bearer token')
    }
    client = await verifier.liveClient(token.clientId)
    if (!client.grantTypeAllowed('client_credentials') || !mayCall(client)) {
      throw new AccessTokenRejected('its client may not use the management API')
    }
  } catch (cause) {
    if (cause instanceof AccessTokenRejected) throw new errors.InvalidToken({ cause })
    throw cause
  }
  if (!token.scopes.has(scope)) {
    throw new errors.InsufficientScope(`access token lacks the scope ${scope}`, scope)
  }
  return client
}

function bearerToken(authorization: string | undefined): string {
  // Another scheme is no credentials either: "the client [...] attempted using an unsupported
  // authentication method" (RFC 6750 §3.1).
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) {
    throw new NoCredentials()
  }
  // RFC 6750 §2.1: b64token.
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) {
    throw new errors.InvalidToken({ cause: new Error('malformed Authorization header') })
  }
  return token
}

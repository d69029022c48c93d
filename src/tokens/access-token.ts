import { type AccessToken, type Client, errors, type Provider } from 'oidc-provider'
import { publicKeys } from '../host/instance.ts'
import { slot } from '../host/slot.ts'
import { IMPERSONATION_ID_CLAIM } from '../shared/constants.ts'
import {
  AccessTokenRejected,
  jwtAccessTokenVerifier,
  seconds,
  single,
  type VerifiedAccessToken,
} from './jwt-access-token.ts'

/** Verifies access tokens that this provider issued, opaque or JWT. */
export interface AccessTokenVerifier {
  /**
   * A user's token.
   * @throws {@link AccessTokenRejected}; any other error is a storage failure.
   */
  verifyUserToken(value: string): Promise<VerifiedAccessToken>
  /** The same, also for one whose impersonation has ended, until it expires. */
  verifyUserTokenEvenEnded(value: string): Promise<VerifiedAccessToken>
  /**
   * A client's own token, issued through `client_credentials`.
   * @throws {@link AccessTokenRejected}; any other error is a storage failure.
   */
  verifyClientToken(value: string): Promise<VerifiedAccessToken>
  /**
   * The client, if it is still there.
   * @throws {@link AccessTokenRejected}; any other error is a storage failure.
   */
  findClient(clientId: string): Promise<Client>
}

/** What verifies the access tokens of a provider. */
export const verifierOf = slot<AccessTokenVerifier>('the verification of access tokens')

export function accessTokenVerifier(
  provider: Provider,
  impersonationGrantType: string,
  findEvenEnded: (value: string) => Promise<AccessToken | undefined>,
): AccessTokenVerifier {
  const verifyJwt = jwtAccessTokenVerifier(provider.issuer, publicKeys(provider).keys)

  async function verify(
    value: string,
    find: (value: string) => Promise<AccessToken | undefined>,
  ): Promise<VerifiedAccessToken> {
    if (isJwt(value)) {
      const token = await verifyJwt(value)
      if (token.accountId === undefined) throw new AccessTokenRejected("a client's own token")
      return token
    }
    const token = await find(value)
    if (!token?.isValid) throw new AccessTokenRejected('unknown, expired or revoked')
    if (typeof token.accountId !== 'string' || token.clientId === undefined) {
      throw new AccessTokenRejected('incomplete record')
    }
    return {
      accountId: token.accountId,
      clientId: token.clientId,
      audience: single(token.aud),
      scopes: token.scopes,
      impersonated: token.gty === impersonationGrantType || token.extra?.act !== undefined,
      impersonationId:
        token.gty === impersonationGrantType
          ? text(token.extra?.[IMPERSONATION_ID_CLAIM])
          : undefined,
      act: token.extra?.act,
      authTime: seconds(token.extra?.auth_time),
      expiresAt: token.exp ?? 0,
      grantId: token.grantId,
      jkt: token.jkt,
      x5t: token['x5t#S256'],
    }
  }

  return {
    verifyUserToken: (value) => verify(value, (id) => provider.AccessToken.find(id)),
    verifyUserTokenEvenEnded: (value) => verify(value, findEvenEnded),
    async verifyClientToken(value) {
      if (isJwt(value)) {
        const token = await verifyJwt(value)
        if (token.accountId !== undefined) throw new AccessTokenRejected("a user's token")
        return token
      }
      const token = await provider.ClientCredentials.find(value)
      if (!token?.isValid) throw new AccessTokenRejected('unknown, expired or revoked')
      if (token.clientId === undefined) throw new AccessTokenRejected('incomplete record')
      return {
        accountId: undefined,
        clientId: token.clientId,
        audience: single(token.aud),
        scopes: token.scopes,
        impersonated: false,
        impersonationId: undefined,
        act: undefined,
        authTime: undefined,
        expiresAt: token.exp ?? 0,
        grantId: undefined,
        jkt: token.jkt,
        x5t: token['x5t#S256'],
      }
    },
    async findClient(clientId) {
      let client: Client | undefined
      try {
        client = await provider.Client.find(clientId)
      } catch (cause) {
        // A stored client that does not validate is a server error, never the caller's fault.
        if (cause instanceof errors.OIDCProviderError) {
          throw new Error(`client ${clientId} could not be loaded`, { cause })
        }
        throw cause
      }
      if (!client) throw new AccessTokenRejected('its client is gone')
      return client
    },
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Opaque tokens are base64url and have no dots. */
function isJwt(value: string): boolean {
  return value.includes('.')
}

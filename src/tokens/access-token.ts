import { createLocalJWKSet, type JWTPayload, errors as joseErrors, jwtVerify } from 'jose'
import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  type Provider,
  type UnknownObject,
} from 'oidc-provider'
import { publicKeys } from '../host/instance.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import {
  GRANT_ID_CLAIM,
  IMPERSONATED_JTI_PREFIX,
  IMPERSONATION_ID_CLAIM,
  SIGNING_ALGORITHMS,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../shared/constants.ts'
import { parseConfirmation } from '../shared/sender.ts'
import { nonEmptyText, sha256 } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'

/**
 * A verified access token of this provider. It is authentic, in time, and not revoked as far as is
 * known.
 */
export type VerifiedAccessToken = ReturnType<typeof fromRecord>

/** The token is not accepted. The cause has the reason, which the client does not get. */
export class AccessTokenRejected extends errors.InvalidToken {
  constructor(reason: string, options?: ErrorOptions) {
    super({ cause: new Error(reason, options) })
  }
}

/** The number of verified JWTs that are remembered. */
const JWT_CACHE_SIZE = 256

/**
 * Verifies access tokens that this provider issued, opaque or JWT. Each `verify…` throws
 * {@link AccessTokenRejected}; any other error is a storage failure.
 */
export function accessTokenVerifier(
  provider: Provider,
  findEvenEnded = (value: string) => provider.AccessToken.find(value),
) {
  const keys = createLocalJWKSet(publicKeys(provider))
  // A machine uses one token for many requests, and a valid signature stays valid. By the SHA-256.
  const remembered = new BoundedMap<string, VerifiedAccessToken>(JWT_CACHE_SIZE)

  async function verifyJwt(value: string): Promise<VerifiedAccessToken> {
    const id = sha256(value)
    const known = remembered.get(id)
    // The provider's clockTolerance is for clocks of other servers. This time is our own.
    if (known && known.expiresAt > epochSeconds()) return known
    try {
      // RFC 9068 §4: typ, iss, signature, exp. The caller judges the audience. The other required
      // claims have to be texts, which is checked below.
      const { payload } = await jwtVerify(value, keys, {
        algorithms: SIGNING_ALGORITHMS,
        typ: 'at+jwt',
        issuer: provider.issuer,
        requiredClaims: ['aud', 'exp', 'iat'],
      })
      const token = fromPayload(payload)
      remembered.set(id, token)
      return token
    } catch (cause) {
      if (!(cause instanceof joseErrors.JOSEError)) throw cause
      throw new AccessTokenRejected(`JWT access token: ${cause.message}`, { cause })
    }
  }

  async function verify(
    value: string,
    find: (value: string) => Promise<AccessToken | ClientCredentials | undefined>,
    isUsers: boolean,
  ): Promise<VerifiedAccessToken> {
    // Opaque tokens are base64url and have no dots.
    if (!value.includes('.')) return fromRecord(await find(value))
    const token = await verifyJwt(value)
    if ((token.accountId !== undefined) === isUsers) return token
    throw new AccessTokenRejected(isUsers ? "a client's own token" : "a user's token")
  }

  /**
   * The client, if it still exists.
   * @throws an error that is no refusal if it cannot be loaded
   */
  async function findClient(clientId: string): Promise<Client | undefined> {
    try {
      return await provider.Client.find(clientId)
    } catch (cause) {
      // A stored client that does not validate is a server error, never the caller's fault.
      if (!(cause instanceof errors.OIDCProviderError)) throw cause
      throw new Error(`client ${clientId} could not be loaded`, { cause })
    }
  }

  return {
    /** Verifies a user's token. */
    verifyUserToken: (value: string) => verify(value, (id) => provider.AccessToken.find(id), true),
    /** Verifies a user's token, also if its impersonation has ended, until it expires. */
    verifyUserTokenEvenEnded: (value: string) => verify(value, findEvenEnded, true),
    /** Verifies a client's own token, issued through `client_credentials`. */
    verifyClientToken: (value: string) =>
      verify(value, (id) => provider.ClientCredentials.find(id), false),
    findClient,
    /**
     * Returns the client of a token.
     * @throws {@link AccessTokenRejected} if it is gone; any other error is a storage failure.
     */
    async requireClient(clientId: string): Promise<Client> {
      const client = await findClient(clientId)
      if (!client) throw new AccessTokenRejected('its client is gone')
      return client
    },
  }
}

/** Reads an opaque token from its record. */
function fromRecord(token: AccessToken | ClientCredentials | undefined) {
  if (!token?.isValid) throw new AccessTokenRejected('unknown, expired or revoked')
  const user = token.kind === 'AccessToken' ? token : undefined
  if (token.clientId === undefined || (user && typeof user.accountId !== 'string')) {
    throw new AccessTokenRejected('incomplete record')
  }
  const isExchanged = user?.gty === TOKEN_EXCHANGE_GRANT_TYPE
  const extra: UnknownObject = user?.extra ?? {}
  return Object.freeze({
    /** The user; `undefined` for a token that stands for a client. */
    accountId: user?.accountId,
    clientId: token.clientId,
    audience: single(token.aud),
    scopes: token.scopes,
    /** `true` if it came out of an impersonation. */
    impersonated: isExchanged || extra.act !== undefined,
    /** The id of that impersonation, if the token has it. */
    impersonationId: isExchanged ? nonEmptyText(extra[IMPERSONATION_ID_CLAIM]) : undefined,
    /** The `act` claim, unparsed. */
    act: extra.act,
    /** The time of the user's sign-in, in seconds since the epoch, if known. */
    authTime: seconds(extra.auth_time),
    /** The expiry, in seconds since the epoch. */
    expiresAt: token.exp ?? 0,
    /** The id of its grant, if the token names a grant. */
    grantId: user?.grantId,
    jkt: token.jkt,
    x5t: token['x5t#S256'],
  })
}

function fromPayload(payload: JWTPayload): VerifiedAccessToken {
  const { sub, jti, client_id: clientId, scope, cnf, act } = payload
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof clientId !== 'string') {
    throw new AccessTokenRejected('a claim has the wrong type')
  }
  const binding = parseConfirmation(cnf)
  if (!binding) throw new AccessTokenRejected('bound in a way that is not known here')
  const isMarked = jti.startsWith(IMPERSONATED_JTI_PREFIX)
  return {
    // RFC 9068 §2.2: if no resource owner takes part, sub is the client.
    accountId: sub === clientId ? undefined : sub,
    clientId,
    audience: single(payload.aud),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
    impersonated: isMarked || act !== undefined,
    impersonationId: isMarked ? jti.slice(IMPERSONATED_JTI_PREFIX.length) : undefined,
    act,
    authTime: seconds(payload.auth_time),
    expiresAt: payload.exp ?? 0,
    // In a client's own token a claim of that name comes from the deployment.
    grantId: sub === clientId ? undefined : textOrNone(payload[GRANT_ID_CLAIM]),
    ...binding,
  }
}

/** Returns a point in time; `undefined` for any other value. */
function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function textOrNone(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new AccessTokenRejected('a claim has the wrong type')
}

/** The audience, if there is exactly one. */
function single(audience: string | readonly string[] | undefined): string | undefined {
  if (audience === undefined || typeof audience === 'string') return audience
  return audience.length === 1 ? audience[0] : undefined
}

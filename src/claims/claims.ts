import { randomBytes } from 'node:crypto'
import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  type Configuration,
  errors,
  type JWTStructured,
  type KoaContextWithOIDC,
  type Provider,
  type UnknownObject,
} from 'oidc-provider'
import { settleStoredClaims } from '../host/patches.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type {
  AccessTokenPayload,
  ActClaim,
  Actor,
  ClientView,
  CustomJwtClaimsContext,
} from '../public/hooks.ts'
import { actClaim } from '../shared/act.ts'
import {
  GRANT_ID_CLAIM,
  IMPERSONATED_JTI_PREFIX,
  IMPERSONATION_ID_CLAIM,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../shared/constants.ts'
import { copyAsJson, isPlainObject, present } from '../shared/json.ts'
import { epochSeconds } from '../shared/time.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'

/**
 * Copying `__proto__` or `constructor` can change an object's prototype. Both are always dropped.
 */
const PROTOTYPE_KEYS: readonly string[] = ['__proto__', 'constructor']

/**
 * Adds claims to the provider's access tokens: the deployment's `extraTokenClaims`, then the
 * hook's, then the deployment's JWT customizer. The claims that only the provider may set come
 * last, on a copy that no code of the deployment holds.
 */
export function accessTokenClaims(
  options: ResolvedOptions,
  { extraTokenClaims: ownClaims, formats }: Configuration,
) {
  const { getCustomJwtClaims, environmentVariables, managementApi } = options
  const ownCustomizer = formats?.customizers?.jwt
  /** The claims of each token, for the record of an opaque one. */
  const settled = new WeakMap<Token, Claims>()
  let issuer = ''

  /**
   * Calls the deployment's `getCustomJwtClaims`, if there is one.
   *
   * @throws errors.AccessDenied if the hook throws it
   * @throws Error for anything else that it throws, and for a result that is no claims (fail
   * closed, I9)
   */
  async function customClaims(ctx: KoaContextWithOIDC, token: Token): Promise<Claims | undefined> {
    if (!getCustomJwtClaims) return undefined
    try {
      const claims = await getCustomJwtClaims({
        token: buildPayload(issuer, token),
        context: buildContext(ctx, token),
        environmentVariables,
      })
      return claims === undefined ? undefined : claimsFrom(claims)
    } catch (cause) {
      if (cause instanceof errors.AccessDenied) throw cause
      throw new Error('features.impersonation.getCustomJwtClaims failed', { cause })
    }
  }

  return {
    /** `true` if code of the deployment adds claims, and may wait. */
    hasHooks: Boolean(ownClaims ?? ownCustomizer ?? getCustomJwtClaims),

    /** Sets the provider of these tokens. */
    use(provider: Provider): void {
      issuer = provider.issuer
      settleStoredClaims(provider, (token) => settled.get(token))
    },

    /** The provider's `extraTokenClaims`. */
    async extraTokenClaims(
      ctx: KoaContextWithOIDC,
      token: Token,
    ): Promise<UnknownObject | undefined> {
      if (token.kind === 'AccessToken' && token.aud === managementApi.resource) {
        // The management API is for machines only: no user's access token is issued for it.
        throw new errors.InvalidTarget()
      }
      const claims = claimsFrom((await ownClaims?.(ctx, token)) ?? {})
      const custom = await customClaims(ctx, token)
      // In tokens of other grants, keep all of the deployment's own claims except `act`.
      if (marks.has(token)) remove(claims, PROVIDER_CLAIMS)
      if (custom) Object.assign(claims, remove(custom, PROVIDER_CLAIMS))
      setProviderClaims(options, ctx, token, claims)
      if (Object.keys(claims).length === 0) return undefined
      settled.set(token, claims)
      // A copy, because code of the deployment that has the token may write to it later.
      return claimsFrom(claims)
    },

    /**
     * The provider's `formats.customizers.jwt`: the deployment's own runs first, and gets a copy.
     */
    async customizeJwt(ctx: KoaContextWithOIDC, token: Token, jwt: JWTStructured): Promise<void> {
      const { jti } = jwt.payload
      if (ownCustomizer) {
        const copy = { header: jwt.header, payload: { ...jwt.payload } }
        await ownCustomizer(ctx, token, copy)
        jwt.header = copy.header
        jwt.payload = claimsFrom(copy.payload)
      }
      const { payload } = jwt
      // Left by a late write of the deployment's code, it would replace these claims (I4).
      if (typeof payload.toJSON === 'function') delete payload.toJSON
      setProviderClaims(options, ctx, token, payload)
      const marked = marks.get(token)
      if (marked) {
        const { exp } = payload
        const status = marked.subjectToken.tokenStatus
        payload.jti = marked.jti
        payload.exp = typeof exp === 'number' && exp < marked.exp ? exp : marked.exp
        if (status) payload.status = status
        return
      }
      // No code of the deployment gives another token the mark of an impersonated one.
      if (isMarked(payload.jti))
        payload.jti = isMarked(jti) ? randomBytes(32).toString('base64url') : jti
      if (namesItsGrant(token, options.actorToken)) payload[GRANT_ID_CLAIM] = token.grantId
    },
  }
}

/**
 * Copies claims as JSON holds them. No code in them runs later, and values that JSON cannot hold
 * fail now.
 *
 * @throws TypeError if they are no JSON object
 */
function claimsFrom(answer: unknown): Claims {
  const claims: unknown = copyAsJson(answer)
  if (Array.isArray(answer) || answer instanceof Map || !isPlainObject(claims)) {
    throw new TypeError('claims must be a plain object')
  }
  return remove(claims, PROTOTYPE_KEYS)
}

function buildContext(ctx: KoaContextWithOIDC | undefined, token: Token): CustomJwtClaimsContext {
  const exchange = marks.get(token)
  const client = exchange?.client ?? ctx?.oidc.client ?? token.client
  return Object.freeze({
    grant: Object.freeze({
      type: exchange ? TOKEN_EXCHANGE_GRANT_TYPE : grantTypeOf(ctx, token),
      subjectTokenContext: exchange?.subjectToken.contextObject ?? Object.freeze({}),
    }),
    actor: exchange?.operator?.actor,
    actorClient: exchange?.operator?.actorClient,
    client: client && viewOf(client),
  })
}

/** The model is shared by the whole process, and holds the secret: the hook gets neither. */
function viewOf(client: Client): ClientView {
  return Object.freeze({
    clientId: client.clientId,
    get metadata() {
      const { client_secret: _, ...metadata } = client.metadata()
      return structuredClone(metadata)
    },
  })
}

function buildPayload(iss: string, token: Token): AccessTokenPayload {
  const iat = token.iat ?? epochSeconds()
  return Object.freeze(
    present({
      // The id of an opaque token is its value: hooks must not see it.
      jti: token.format === 'jwt' ? token.jti : undefined,
      iss,
      sub: token.kind === 'AccessToken' ? token.accountId : (token.clientId ?? ''),
      aud: token.aud,
      client_id: token.clientId ?? '',
      scope: token.scope || undefined,
      iat,
      exp: token.exp ?? iat + token.expiration,
      act: marks.get(token)?.act,
    }),
  )
}

function grantTypeOf(ctx: KoaContextWithOIDC | undefined, token: Token): string {
  const requested = ctx?.oidc.params?.grant_type
  if (typeof requested === 'string') return requested
  return token.kind === 'ClientCredentials' ? 'client_credentials' : token.gty
}

type Token = AccessToken | ClientCredentials
/** Claims that may still be changed. */
type Claims = Record<string, unknown>

/** Claims that the provider sets, in a JWT or in an introspection response. */
const PROVIDER_CLAIMS: readonly string[] = [
  'act',
  'active',
  'aud',
  'authorization_details',
  'client_id',
  'cnf',
  'exp',
  GRANT_ID_CLAIM,
  'iat',
  'iss',
  'jti',
  'may_act',
  'nbf',
  'scope',
  'sid',
  'sub',
  'token_type',
  'username',
]

/** Claims that mark an impersonated token and hold its status. */
const IMPERSONATION_CLAIMS: readonly string[] = [IMPERSONATION_ID_CLAIM, 'status']

/** The facts of an exchange that its access token states. */
interface ImpersonatedExchange {
  readonly operator: { readonly actor: Actor; readonly actorClient: string } | undefined
  readonly client: Client
  /** The client's id, if software acts. */
  readonly software: string | undefined
  readonly subjectToken: Pick<SubjectToken, 'contextObject' | 'jti' | 'tokenStatus'>
  /**
   * No code of the deployment changes it. `undefined` for an opaque token, whose `jti` is its
   * value.
   */
  readonly jti: string | undefined
  /** The latest expiry of the access token, in seconds since the epoch. */
  readonly exp: number
}

/** Kept here, out of reach of hooks and customizers. */
const marks = new WeakMap<object, ImpersonatedExchange & { readonly act: ActClaim | undefined }>()

/**
 * Marks this token, not saved yet, as impersonated, with its actor. `act` is the provider's word
 * (I4): it comes from here alone, and only the token-exchange grant calls this.
 */
export function markImpersonated(token: AccessToken, exchange: ImpersonatedExchange): void {
  const { operator, software } = exchange
  marks.set(token, { ...exchange, act: actClaim(operator?.actor, software) })
}

/** Sets the provider's claims in every token, over those of the deployment's code. */
function setProviderClaims(
  { actorToken }: ResolvedOptions,
  ctx: KoaContextWithOIDC | undefined,
  token: Token,
  claims: Claims,
): void {
  const marked = marks.get(token)
  if (marked) remove(claims, IMPERSONATION_CLAIMS)
  delete claims.act
  if (marked?.act) claims.act = marked.act
  if (marked && marked.jti === undefined) claims[IMPERSONATION_ID_CLAIM] = marked.subjectToken.jti
  // `maxAge` relies on it (RFC 9068 §2.2.1), so no hook may set the time of the sign-in.
  if (actorToken.maxAge === undefined) return
  const authTime = isPossibleActorToken(token, actorToken.scope) ? authTimeOf(ctx) : undefined
  delete claims.auth_time
  if (authTime !== undefined) claims.auth_time = authTime
}

/** Removes the named claims, and returns the rest. */
function remove(claims: Claims, names: readonly string[]): Claims {
  for (const name of names) if (Object.hasOwn(claims, name)) delete claims[name]
  return claims
}

function isMarked(jti: unknown): boolean {
  return typeof jti === 'string' && jti.startsWith(IMPERSONATED_JTI_PREFIX)
}

function isPossibleActorToken(token: Token, scope: string): token is AccessToken {
  return token.kind === 'AccessToken' && token.grantId !== undefined && token.scopes.has(scope)
}

/**
 * Checks whether this token can be an actor token later. The exchange then has to look up its
 * grant.
 */
function namesItsGrant(
  token: Token,
  { grantClaim, sameClient, scope }: ResolvedOptions['actorToken'],
): token is AccessToken {
  if (!grantClaim || !isPossibleActorToken(token, scope)) return false
  if (typeof sameClient !== 'boolean') return sameClient.includes(token.clientId ?? '')
  return !sameClient || token.client?.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE) === true
}

/** The time of the user's sign-in, as the source of this token has it. */
function authTimeOf(ctx: KoaContextWithOIDC | undefined): number | undefined {
  const { authorizationCode, refreshToken, deviceCode, session, entities } = ctx?.oidc ?? {}
  return (
    authorizationCode?.authTime ??
    refreshToken?.authTime ??
    deviceCode?.authTime ??
    entities?.BackchannelAuthenticationRequest?.authTime ??
    session?.authTime()
  )
}

import {
  type AccessToken,
  type ClientCredentials,
  errors,
  type JWTStructured,
  type KoaContextWithOIDC,
  type UnknownObject,
} from 'oidc-provider'
import { actClaim } from './actor-chain.ts'
import type { ActClaim } from './claims-hook.ts'
import { claimsFrom, customClaims, type Impersonation } from './custom-claims.ts'
import { GRANT_ID_CLAIM } from './jwt-access-token.ts'
import type { ResolvedOptions } from './options-defaults.ts'

type Token = AccessToken | ClientCredentials
type OwnExtraTokenClaims = (
  ctx: KoaContextWithOIDC,
  token: Token,
) => Promise<UnknownObject | undefined> | UnknownObject | undefined
type OwnJwtCustomizer = (
  ctx: KoaContextWithOIDC,
  token: Token,
  jwt: JWTStructured,
) => Promise<void> | void

/** Claims that belong to the provider, in a JWT and in an introspection response. */
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

/** Names that are no claims but traps, for the provider and for whoever reads the token. */
const TRAPS: readonly string[] = ['__proto__', 'constructor']

/**
 * What an access token says beside the provider's own claims: the deployment's
 * `extraTokenClaims`, then the hook's, then `act`.
 *
 * I4: `act` comes from {@link impersonate} alone, which only the token-exchange grant calls.
 */
export class AccessTokenClaims {
  readonly #options: ResolvedOptions
  readonly #ownExtraTokenClaims: OwnExtraTokenClaims | undefined
  readonly #ownJwtCustomizer: OwnJwtCustomizer | undefined
  readonly #impersonations = new WeakMap<object, Impersonation & { act: ActClaim | undefined }>()
  #issuer = ''

  constructor(
    options: ResolvedOptions,
    own: {
      extraTokenClaims: OwnExtraTokenClaims | undefined
      jwtCustomizer: OwnJwtCustomizer | undefined
    },
  ) {
    this.#options = options
    this.#ownExtraTokenClaims = own.extraTokenClaims
    this.#ownJwtCustomizer = own.jwtCustomizer
  }

  set issuer(issuer: string) {
    this.#issuer = issuer
  }

  /** Says that this token, not saved yet, comes out of an impersonation, and who acts. */
  impersonate(token: AccessToken, impersonation: Impersonation): void {
    const { actor } = impersonation
    const act = actor && actClaim(actor)
    this.#impersonations.set(token, { ...impersonation, act })
  }

  /** The provider's `extraTokenClaims`. */
  readonly extraTokenClaims = async (
    ctx: KoaContextWithOIDC,
    token: Token,
  ): Promise<UnknownObject | undefined> => {
    if (token.kind === 'AccessToken' && token.aud === this.#options.managementApi.resource) {
      // Whatever led here: the management API is for machines.
      throw new errors.InvalidTarget()
    }
    const impersonation = this.#impersonations.get(token)
    const act = impersonation?.act
    const own = await this.#ownExtraTokenClaims?.(ctx, token)
    const issuer = this.#issuer
    const custom = await customClaims(this.#options, { ctx, token, issuer, impersonation, act })
    const claims = own === undefined ? {} : claimsFrom(own)
    // To the deployment's own claims, other grants stay what they were: all but `act`.
    remove(claims, impersonation ? PROVIDER_CLAIMS : ['act'])
    if (custom) Object.assign(claims, remove(custom, PROVIDER_CLAIMS))
    remove(claims, TRAPS)
    this.#setAuthTime(ctx, token, claims)
    if (act) claims.act = act
    return Object.keys(claims).length > 0 ? claims : undefined
  }

  /** The provider's `formats.customizers.jwt`: the deployment's own runs first. */
  readonly customizeJwt = (
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> | void => {
    if (!this.#ownJwtCustomizer) return this.#assertClaims(ctx, token, jwt)
    return this.#customize(this.#ownJwtCustomizer, ctx, token, jwt)
  }

  async #customize(
    customize: OwnJwtCustomizer,
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> {
    await customize(ctx, token, jwt)
    // As it will be signed: no accessor, no toJSON may say something else later.
    jwt.payload = claimsFrom(jwt.payload)
    this.#assertClaims(ctx, token, jwt)
  }

  /** `actorToken.maxAge` relies on it (RFC 9068 §2.2.1): then no hook may say when that was. */
  #setAuthTime(ctx: KoaContextWithOIDC | undefined, token: Token, claims: UnknownObject): void {
    const { maxAge, scope } = this.#options.actorToken
    if (maxAge === undefined) return
    const authTime = isPossibleActorToken(token, scope) ? authTimeOf(ctx) : undefined
    if (authTime === undefined) remove(claims, ['auth_time'])
    else claims.auth_time = authTime
  }

  #assertClaims(ctx: KoaContextWithOIDC, token: Token, { payload }: JWTStructured): void {
    const impersonation = this.#impersonations.get(token)
    if (impersonation?.act) payload.act = impersonation.act
    else if ('act' in payload) delete payload.act
    if (impersonation) payload.jti = token.jti
    else if (isPossibleActorToken(token, this.#options.actorToken.scope)) {
      payload[GRANT_ID_CLAIM] = token.grantId
    }
    this.#setAuthTime(ctx, token, payload)
  }
}

function isPossibleActorToken(token: Token, scope: string): token is AccessToken {
  return token.kind === 'AccessToken' && token.grantId !== undefined && token.scopes.has(scope)
}

/** When the user signed in, as the source of this token has it. */
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

function remove(claims: UnknownObject, names: readonly string[]): UnknownObject {
  for (const name of names) if (Object.hasOwn(claims, name)) delete claims[name]
  return claims
}

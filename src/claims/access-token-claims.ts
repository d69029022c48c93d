import {
  type AccessToken,
  type ClientCredentials,
  errors,
  type JWTStructured,
  type KoaContextWithOIDC,
  type UnknownObject,
} from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { ActClaim } from '../public/hooks.ts'
import { actClaim, softwareAct } from '../shared/act.ts'
import {
  GRANT_ID_CLAIM,
  IMPERSONATION_ID_CLAIM,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../shared/constants.ts'
import { watchEventLoopTurn } from '../shared/event-loop-turn.ts'
import type { TokenStatus } from '../tokens/token-status.ts'
import { authTimeOf } from './auth-time.ts'
import { claimsFrom, customClaims, type ImpersonatedExchange } from './custom-claims.ts'
import { copyPayload, finalise, unmarkedJti } from './jwt-payload.ts'
import { IMPERSONATION_CLAIMS, PROTOTYPE_KEYS, PROVIDER_CLAIMS, remove } from './reserved-claims.ts'

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

/** What is known of an impersonated token once its claims are settled. */
export interface ImpersonatedToken {
  /**
   * Whether hooks or the customizer of the deployment took more than one turn of the event loop over
   * it: what was looked up before may have changed since.
   */
  readonly tookTime: boolean
  /** Of an opaque token: what {@link AccessTokenClaims.extraTokenClaims} answered. */
  readonly extra: UnknownObject | undefined
}

/** What marks one impersonated token. Kept here, where no hook or customizer can write. */
interface Marks extends ImpersonatedExchange, ImpersonatedToken {
  readonly act: ActClaim | undefined
  /** Of a JWT: its `jti`. `undefined` for an opaque token. */
  readonly jti: string | undefined
  /** Of a JWT: where its status is found. */
  readonly status: TokenStatus | undefined
  /** Seconds since the epoch: no customizer makes the token live longer. I8. */
  readonly exp: number
  tookTime: boolean
  extra: UnknownObject | undefined
}

/**
 * What an access token says beside the provider's own claims: the deployment's
 * `extraTokenClaims`, then the hook's, then `act` and what else marks an impersonated token.
 *
 * I4: `act` comes from {@link markImpersonated} alone, which only the token-exchange grant calls.
 */
export class AccessTokenClaims {
  readonly #options: ResolvedOptions
  readonly #ownExtraTokenClaims: OwnExtraTokenClaims | undefined
  readonly #ownJwtCustomizer: OwnJwtCustomizer | undefined
  /** Whether any code of the deployment says what claims a token gets. */
  readonly #hasOwnCode: boolean
  readonly #impersonated = new WeakMap<object, Marks>()
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
    this.#hasOwnCode = Boolean(own.extraTokenClaims ?? options.getCustomJwtClaims)
  }

  set issuer(issuer: string) {
    this.#issuer = issuer
  }

  /** Says that this token, not saved yet, comes out of an impersonation, and who acts. */
  markImpersonated(
    token: AccessToken & { readonly expiration: number },
    of: ImpersonatedExchange,
  ): ImpersonatedToken {
    const marks: Marks = {
      ...of,
      act:
        of.software === undefined
          ? of.actor && actClaim(of.actor)
          : softwareAct(of.software, of.actor),
      jti: token.format === 'jwt' ? token.jti : undefined,
      status: token.format === 'jwt' ? of.subjectToken.tokenStatus : undefined,
      exp: Math.floor(Date.now() / 1000) + token.expiration,
      tookTime: false,
      extra: undefined,
    }
    this.#impersonated.set(token, marks)
    return marks
  }

  /** The provider's `extraTokenClaims`. */
  readonly extraTokenClaims = async (
    ctx: KoaContextWithOIDC,
    token: Token,
  ): Promise<UnknownObject | undefined> => {
    if (token.kind === 'AccessToken' && token.aud === this.#options.managementApi.resource) {
      // The management API is for machines only: no user's access token is issued for it.
      throw new errors.InvalidTarget()
    }
    const marks = this.#impersonated.get(token)
    const act = marks?.act
    const claims = this.#hasOwnCode ? await this.#ownClaims(ctx, token, marks) : {}
    this.#setAuthTime(ctx, token, claims)
    if (marks) {
      remove(claims, IMPERSONATION_CLAIMS)
      if (act) claims.act = act
      if (marks.jti === undefined) {
        claims[IMPERSONATION_ID_CLAIM] = marks.subjectToken.jti
        marks.extra = structuredClone(claims)
      }
    } else {
      // The token holds this same object, and the deployment's code may still hold the token.
      fix(claims, 'act')
      if (this.#options.actorToken.maxAge !== undefined) fix(claims, 'auth_time')
    }
    return Object.keys(claims).length > 0 ? claims : undefined
  }

  /** What the deployment's own code says, without the claims that it may not set. */
  async #ownClaims(
    ctx: KoaContextWithOIDC,
    token: Token,
    marks: Marks | undefined,
  ): Promise<UnknownObject> {
    const eventLoopTurnIsOver = watchEventLoopTurn()
    const own = await this.#ownExtraTokenClaims?.(ctx, token)
    const custom = await customClaims(this.#options, {
      ctx,
      token,
      issuer: this.#issuer,
      impersonation: marks,
      act: marks?.act,
    })
    if (marks && eventLoopTurnIsOver()) marks.tookTime = true
    const claims = own === undefined ? {} : claimsFrom(own)
    // In tokens of other grants, keep all of the deployment's own claims except `act`.
    remove(claims, marks ? PROVIDER_CLAIMS : ['act'])
    if (custom) Object.assign(claims, remove(custom, PROVIDER_CLAIMS))
    return remove(claims, PROTOTYPE_KEYS)
  }

  /** The provider's `formats.customizers.jwt`: the deployment's own runs first. */
  readonly customizeJwt = (
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> | void => {
    const own = this.#ownJwtCustomizer
    if (own) return this.#customize(own, ctx, token, jwt)
    return this.#setProviderClaims(ctx, token, jwt.payload, jwt.payload.jti)
  }

  async #customize(
    customize: OwnJwtCustomizer,
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> {
    const eventLoopTurnIsOver = watchEventLoopTurn()
    const { jti: ownJti } = jwt.payload
    await customize(ctx, token, jwt)
    const marks = this.#impersonated.get(token)
    if (marks && eventLoopTurnIsOver()) marks.tookTime = true
    const payload = copyPayload(jwt)
    this.#setProviderClaims(ctx, token, payload, ownJti)
    finalise(jwt, payload)
  }

  /** `actorToken.maxAge` relies on it (RFC 9068 §2.2.1): then no hook may say when that was. */
  #setAuthTime(ctx: KoaContextWithOIDC | undefined, token: Token, claims: UnknownObject): void {
    const { maxAge, scope } = this.#options.actorToken
    if (maxAge === undefined) return
    const authTime = isPossibleActorToken(token, scope) ? authTimeOf(ctx) : undefined
    if (authTime === undefined) remove(claims, ['auth_time'])
    else claims.auth_time = authTime
  }

  #setProviderClaims(
    ctx: KoaContextWithOIDC,
    token: Token,
    payload: UnknownObject,
    ownJti: unknown,
  ): void {
    const marks = this.#impersonated.get(token)
    if (marks) {
      remove(payload, IMPERSONATION_CLAIMS)
      payload.jti = marks.jti
      if (marks.status) payload.status = marks.status
      const { exp } = payload
      payload.exp = typeof exp === 'number' && exp < marks.exp ? exp : marks.exp
    } else {
      payload.jti = unmarkedJti(payload.jti, ownJti)
      if (namesItsGrant(token, this.#options.actorToken)) {
        payload[GRANT_ID_CLAIM] = token.grantId
      }
    }
    if (marks?.act) payload.act = marks.act
    else if ('act' in payload) delete payload.act
    this.#setAuthTime(ctx, token, payload)
  }
}

/** Makes a claim read-only, also when it is absent. */
function fix(claims: UnknownObject, name: string): void {
  const value = claims[name]
  const enumerable = Object.hasOwn(claims, name)
  Object.defineProperty(claims, name, { get: () => value, set: () => {}, enumerable })
}

function isPossibleActorToken(token: Token, scope: string): token is AccessToken {
  return token.kind === 'AccessToken' && token.grantId !== undefined && token.scopes.has(scope)
}

/**
 * Whether this token can be an actor token later, so that the exchange has to look up its grant.
 */
function namesItsGrant(
  token: Token,
  { grantClaim, sameClient, scope }: ResolvedOptions['actorToken'],
): token is AccessToken {
  if (!grantClaim || !isPossibleActorToken(token, scope)) return false
  return !sameClient || token.client?.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE) === true
}

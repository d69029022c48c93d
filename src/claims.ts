import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  type JWTStructured,
  type KoaContextWithOIDC,
  type UnknownObject,
} from 'oidc-provider'
import type {
  AccessTokenPayload,
  ActClaim,
  Actor,
  CustomJwtClaimsContext,
  SubjectTokenContext,
} from './claims-hook.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './constants.ts'
import { GRANT_ID_CLAIM } from './jwt-access-token.ts'
import type { ResolvedOptions } from './options.ts'
import { isPlainObject } from './options-validation.ts'

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

/** What an exchange knows and its access token has to say. */
export interface Impersonation {
  readonly actor: Actor | undefined
  readonly client: Client
  /** Read only where a hook wants to know. */
  readonly subjectToken: { readonly contextObject: SubjectTokenContext }
}

/** An impersonated token about to be issued, with all that it will say. */
interface Prepared {
  readonly impersonation: Impersonation
  readonly act: ActClaim | undefined
  claims: UnknownObject | undefined
}

/** Claims that belong to the provider, in a JWT and in an introspection response. */
const PROVIDER_CLAIMS: ReadonlySet<string> = new Set([
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
])

/**
 * What an access token says beside the provider's own claims: the deployment's
 * `extraTokenClaims`, then the hook's, then `act`.
 *
 * I4: `act` comes from {@link prepare} alone, which only the token-exchange grant calls.
 */
export class AccessTokenClaims {
  readonly #options: ResolvedOptions
  readonly #ownExtraTokenClaims: OwnExtraTokenClaims | undefined
  readonly #ownJwtCustomizer: OwnJwtCustomizer | undefined
  readonly #prepared = new WeakMap<object, Prepared>()
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

  /**
   * Decides every claim of an impersonated token before anything is redeemed (I2, I9), so that a
   * hook that refuses or fails leaves the subject token usable.
   */
  async prepare(
    ctx: KoaContextWithOIDC,
    token: AccessToken,
    impersonation: Impersonation,
  ): Promise<void> {
    const { actor } = impersonation
    const act = actor && Object.freeze({ sub: actor.sub })
    const claims = await this.#compute(ctx, token, impersonation, act)
    this.#prepared.set(token, { impersonation, act, claims })
  }

  /** The provider's `extraTokenClaims`. */
  readonly extraTokenClaims = (
    ctx: KoaContextWithOIDC,
    token: Token,
  ): Promise<UnknownObject | undefined> | UnknownObject | undefined => {
    const prepared = this.#prepared.get(token)
    return prepared ? prepared.claims : this.#compute(ctx, token)
  }

  /** The provider's `formats.customizers.jwt`: the deployment's own runs first. */
  readonly customizeJwt = (
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> | void => {
    if (!this.#ownJwtCustomizer) return this.#assertClaims(token, jwt)
    return this.#customizeThenAssert(this.#ownJwtCustomizer, ctx, token, jwt)
  }

  async #customizeThenAssert(
    customize: OwnJwtCustomizer,
    ctx: KoaContextWithOIDC,
    token: Token,
    jwt: JWTStructured,
  ): Promise<void> {
    await customize(ctx, token, jwt)
    this.#assertClaims(token, jwt)
  }

  #assertClaims(token: Token, { payload }: JWTStructured): void {
    const prepared = this.#prepared.get(token)
    if (prepared?.act) payload.act = prepared.act
    else if ('act' in payload) delete payload.act
    if (prepared) payload.jti = token.jti
    else if (isPossibleActorToken(token, this.#options.actorToken.scope)) {
      payload[GRANT_ID_CLAIM] = token.grantId
    }
  }

  async #compute(
    ctx: KoaContextWithOIDC,
    token: Token,
    impersonation?: Impersonation,
    act?: ActClaim,
  ): Promise<UnknownObject | undefined> {
    if (token.kind === 'AccessToken' && token.aud === this.#options.managementApi.resource) {
      // Whatever led here: the management API is for machines.
      throw new errors.InvalidTarget()
    }
    const own = await this.#ownExtraTokenClaims?.(ctx, token)
    // A value of a wrong type is the provider's to complain about, in its own words.
    if (own !== undefined && !isPlainObject(own)) return own
    const custom = await this.#custom(ctx, token, impersonation, act)
    if (!own && !custom) return act && { act }
    const claims: UnknownObject = { ...own, ...custom }
    delete claims.act
    if (impersonation) for (const name of PROVIDER_CLAIMS) delete claims[name]
    if (act) claims.act = act
    return Object.keys(claims).length > 0 ? claims : undefined
  }

  async #custom(
    ctx: KoaContextWithOIDC | undefined,
    token: Token,
    impersonation: Impersonation | undefined,
    act: ActClaim | undefined,
  ): Promise<UnknownObject | undefined> {
    const { getCustomJwtClaims, environmentVariables } = this.#options
    if (!getCustomJwtClaims) return undefined
    const context: CustomJwtClaimsContext = Object.freeze({
      grant: Object.freeze({
        type: impersonation ? TOKEN_EXCHANGE_GRANT_TYPE : grantTypeOf(ctx, token),
        subjectTokenContext: impersonation?.subjectToken.contextObject ?? Object.freeze({}),
      }),
      actor: impersonation?.actor,
      client: impersonation?.client ?? ctx?.oidc.client ?? token.client,
    })
    let claims: unknown
    try {
      const answer = await getCustomJwtClaims({
        token: this.#payloadOf(token, act),
        context,
        environmentVariables,
      })
      // As JSON, now: what cannot be serialised must fail before the redemption, not after it.
      claims = answer === undefined ? {} : JSON.parse(JSON.stringify(answer))
    } catch (cause) {
      if (cause instanceof errors.AccessDenied) throw cause
      throw new Error('features.impersonation.getCustomJwtClaims failed', { cause })
    }
    if (!isPlainObject(claims)) {
      throw new TypeError('features.impersonation.getCustomJwtClaims must answer an object')
    }
    for (const name of PROVIDER_CLAIMS) delete claims[name]
    return claims
  }

  #payloadOf(token: Token, act: ActClaim | undefined): AccessTokenPayload {
    const iat = token.iat ?? Math.floor(Date.now() / 1000)
    return Object.freeze({
      // The id of an opaque token is its value, and nobody else's business.
      ...(token.format === 'jwt' ? { jti: token.jti } : {}),
      iss: this.#issuer,
      sub: token.kind === 'AccessToken' ? token.accountId : (token.clientId ?? ''),
      ...(token.aud === undefined ? {} : { aud: token.aud }),
      client_id: token.clientId ?? '',
      ...(token.scope ? { scope: token.scope } : {}),
      iat,
      exp: token.exp ?? iat + token.expiration,
      ...(act ? { act } : {}),
    })
  }
}

function isPossibleActorToken(token: Token, scope: string): token is AccessToken {
  return token.kind === 'AccessToken' && token.grantId !== undefined && token.scopes.has(scope)
}

function grantTypeOf(ctx: KoaContextWithOIDC | undefined, token: Token): string {
  const requested = ctx?.oidc.params?.grant_type
  if (typeof requested === 'string') return requested
  return token.kind === 'ClientCredentials' ? 'client_credentials' : token.gty
}

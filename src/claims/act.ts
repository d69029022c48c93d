import { randomBytes } from 'node:crypto'
import type { AccessToken, Client, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { ActClaim, Actor, SubjectTokenContext } from '../public/hooks.ts'
import { actClaim, softwareAct } from '../shared/act.ts'
import {
  GRANT_ID_CLAIM,
  IMPERSONATED_JTI_PREFIX,
  IMPERSONATION_ID_CLAIM,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../shared/constants.ts'
import type { TokenStatus } from '../tokens/subject-token.ts'

export type Token = AccessToken | ClientCredentials
/** Claims that may still be changed. */
export type Claims = Record<string, unknown>

/** Claims that the provider sets, in a JWT or in an introspection response. */
export const PROVIDER_CLAIMS: readonly string[] = [
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

/** Claims that say what an impersonated token is, and whether it still is good. */
const IMPERSONATION_CLAIMS: readonly string[] = [IMPERSONATION_ID_CLAIM, 'status']

/** What an exchange knows and its access token has to say. */
export interface ImpersonatedExchange {
  readonly actor: Actor | undefined
  readonly client: Client
  /** The client's id, where it is software that acts. */
  readonly software: string | undefined
  readonly subjectToken: {
    readonly jti: string
    readonly contextObject: SubjectTokenContext
    readonly tokenStatus: TokenStatus | undefined
  }
}

/** What marks one impersonated token. */
interface Marks extends ImpersonatedExchange {
  readonly act: ActClaim | undefined
  /** `undefined` for an opaque token, whose `jti` is its value. */
  readonly jti: string | undefined
  /** Seconds since the epoch. */
  readonly exp: number
}

/** Kept here, where no hook or customizer can write. */
const marks = new WeakMap<object, Marks>()

/**
 * Says that this token, not saved yet, comes out of an impersonation, and who acts. `act` is the provider's
 * word (I4): it comes from here alone, and the token-exchange grant alone calls this.
 *
 * @param settled what no code of the deployment changes: the `jti` of a JWT, and the longest that it lives
 */
export function markImpersonated(
  token: AccessToken,
  exchange: ImpersonatedExchange,
  settled: Pick<Marks, 'exp' | 'jti'>,
): void {
  const { actor, software } = exchange
  const act = software === undefined ? actor && actClaim(actor) : softwareAct(software, actor)
  marks.set(token, { ...exchange, ...settled, act })
}

export function marksOf(token: Token): Marks | undefined {
  return marks.get(token)
}

/** What the provider alone says in every token, whatever code of the deployment said. */
export function setProviderClaims(
  { actorToken }: ResolvedOptions,
  ctx: KoaContextWithOIDC | undefined,
  token: Token,
  claims: Claims,
): void {
  const marked = marks.get(token)
  if (marked) remove(claims, IMPERSONATION_CLAIMS)
  remove(claims, ['act'])
  if (marked?.act) claims.act = marked.act
  if (marked && marked.jti === undefined) claims[IMPERSONATION_ID_CLAIM] = marked.subjectToken.jti
  // `maxAge` relies on it (RFC 9068 §2.2.1): then no hook may say when that was.
  if (actorToken.maxAge === undefined) return
  const authTime = isPossibleActorToken(token, actorToken.scope) ? authTimeOf(ctx) : undefined
  remove(claims, ['auth_time'])
  if (authTime !== undefined) claims.auth_time = authTime
}

/**
 * The same for the payload of a JWT, whose `jti` and `exp` are among it.
 *
 * @param own the `jti` that the provider gave it
 */
export function setJwtClaims(
  options: ResolvedOptions,
  ctx: KoaContextWithOIDC | undefined,
  token: Token,
  payload: Claims,
  own: unknown,
): void {
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
    payload.jti = isMarked(own) ? randomBytes(32).toString('base64url') : own
  if (namesItsGrant(token, options.actorToken)) payload[GRANT_ID_CLAIM] = token.grantId
}

/** Removes the named claims, and answers what is left of them. */
export function remove(claims: Claims, names: readonly string[]): Claims {
  for (const name of names) if (Object.hasOwn(claims, name)) delete claims[name]
  return claims
}

function isMarked(jti: unknown): boolean {
  return typeof jti === 'string' && jti.startsWith(IMPERSONATED_JTI_PREFIX)
}

function isPossibleActorToken(token: Token, scope: string): token is AccessToken {
  return token.kind === 'AccessToken' && token.grantId !== undefined && token.scopes.has(scope)
}

/** Whether this token can be an actor token later, so that the exchange has to look up its grant. */
function namesItsGrant(
  token: Token,
  { grantClaim, sameClient, scope }: ResolvedOptions['actorToken'],
): token is AccessToken {
  if (!grantClaim || !isPossibleActorToken(token, scope)) return false
  return !sameClient || token.client?.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE) === true
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

import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  type KoaContextWithOIDC,
  type UnknownObject,
} from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import type {
  AccessTokenPayload,
  ActClaim,
  Actor,
  ClientView,
  CustomJwtClaimsContext,
  SubjectTokenContext,
} from '../public/claims-hook.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { isPlainObject } from '../shared/json.ts'
import type { TokenStatus } from '../tokens/token-status.ts'

/** What an exchange knows and its access token has to contain. */
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

/** The access token being issued, and what is known about it. */
export interface TokenInQuestion {
  readonly ctx: KoaContextWithOIDC | undefined
  readonly token: AccessToken | ClientCredentials
  readonly issuer: string
  readonly impersonation: ImpersonatedExchange | undefined
  readonly act: ActClaim | undefined
}

/**
 * Asks the deployment's `getCustomJwtClaims`, if there is one.
 *
 * @throws errors.AccessDenied where the hook does
 * @throws Error for whatever else it throws, and for an answer that is no claims (I9)
 */
export async function customClaims(
  { getCustomJwtClaims, environmentVariables }: ResolvedOptions,
  question: TokenInQuestion,
): Promise<UnknownObject | undefined> {
  if (!getCustomJwtClaims) return undefined
  try {
    const token = buildPayload(question)
    const context = buildContext(question)
    const claims = await getCustomJwtClaims({ token, context, environmentVariables })
    return claims === undefined ? undefined : claimsFrom(claims)
  } catch (cause) {
    if (cause instanceof errors.AccessDenied) throw cause
    throw new Error('features.impersonation.getCustomJwtClaims failed', { cause })
  }
}

/**
 * A copy of claims as JSON will say them: nothing in it runs code later, and what JSON cannot say
 * fails now.
 *
 * @throws TypeError where they are no JSON object
 */
export function claimsFrom(answer: unknown): UnknownObject {
  const claims: unknown = JSON.parse(JSON.stringify(answer) ?? 'null')
  if (Array.isArray(answer) || answer instanceof Map || !isPlainObject(claims)) {
    throw new TypeError('claims must be a plain object')
  }
  return claims
}

function buildContext({ ctx, token, impersonation }: TokenInQuestion): CustomJwtClaimsContext {
  const client = impersonation?.client ?? ctx?.oidc.client ?? token.client
  return Object.freeze({
    grant: Object.freeze({
      type: impersonation ? TOKEN_EXCHANGE_GRANT_TYPE : grantTypeOf(ctx, token),
      subjectTokenContext: impersonation?.subjectToken.contextObject ?? Object.freeze({}),
    }),
    actor: impersonation?.actor,
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

function buildPayload({ token, issuer, act }: TokenInQuestion): AccessTokenPayload {
  const iat = token.iat ?? Math.floor(Date.now() / 1000)
  return Object.freeze({
    // The id of an opaque token is its value: hooks must not see it.
    ...(token.format === 'jwt' ? { jti: token.jti } : {}),
    iss: issuer,
    sub: token.kind === 'AccessToken' ? token.accountId : (token.clientId ?? ''),
    ...(token.aud === undefined ? {} : { aud: token.aud }),
    client_id: token.clientId ?? '',
    ...(token.scope ? { scope: token.scope } : {}),
    iat,
    exp: token.exp ?? iat + token.expiration,
    ...(act ? { act } : {}),
  })
}

function grantTypeOf(
  ctx: KoaContextWithOIDC | undefined,
  token: AccessToken | ClientCredentials,
): string {
  const requested = ctx?.oidc.params?.grant_type
  if (typeof requested === 'string') return requested
  return token.kind === 'ClientCredentials' ? 'client_credentials' : token.gty
}

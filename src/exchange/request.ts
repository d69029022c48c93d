import {
  errors,
  type Provider,
  type TokenEndpointGrantContext,
  type UnknownObject,
} from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { checkDpopRequired, checkMtlsCert, validateDpop } from '../host/grants.ts'
import { ACCESS_TOKEN_TYPE } from '../shared/constants.ts'

/**
 * The form fields of an exchange. RFC 8693 §2.1. `client_id` and the like belong to the provider.
 */
export const EXCHANGE_PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'resource',
  'audience',
  'scope',
] as const

/** Fields that the protocol lets repeat. Several targets are refused as several targets. */
export const REPEATABLE_PARAMETERS = ['resource', 'audience'] as const

/** A token exchange request whose fields are all well-formed. */
export type ExchangeRequest = Awaited<ReturnType<typeof parseExchangeRequest>>

/**
 * Reads the request once: the proofs of the client, and its parameters.
 *
 * @throws the provider's own errors if a proof or a certificate is missing or wrong
 * @throws errors.InvalidRequest naming the parameter
 * @throws errors.InvalidTarget if several targets are named
 */
export async function parseExchangeRequest(provider: Provider, ctx: TokenEndpointGrantContext) {
  const { client } = ctx.oidc
  // The first value, because the deployment's code gets the client, and may write to it.
  const { clientId } = client
  // The key that the client proves, as the provider's own grants have it (not downgraded, I10).
  const dPoP = await validateDpop(provider, ctx)
  // The certificate that the client shows, if its access tokens are bound to one.
  const certificate = checkMtlsCert(provider, ctx)
  checkDpopRequired(provider, ctx, dPoP)
  const parameters = parseParameters(ctx.oidc.params)
  trailOf(ctx).conceal(parameters.subjectToken, parameters.actorToken)
  return Object.freeze({ client, clientId, ...parameters, dPoP, certificate })
}

function parseParameters(parameters: UnknownObject) {
  // §2.1: subject_token REQUIRED, subject_token_type REQUIRED.
  const subjectToken = required(parameters, 'subject_token')
  requireAccessTokenType('subject_token_type', required(parameters, 'subject_token_type'))

  // §2.1: actor_token_type "is REQUIRED when the actor_token parameter is present in the request
  // but MUST NOT be included otherwise."
  const actorToken = optional(parameters, 'actor_token')
  if (actorToken !== undefined) {
    requireAccessTokenType('actor_token_type', required(parameters, 'actor_token_type'))
  } else if (optional(parameters, 'actor_token_type') !== undefined) {
    throw new errors.InvalidRequest('actor_token_type must not be given without actor_token')
  }
  requireAccessTokenType('requested_token_type', optional(parameters, 'requested_token_type'))

  const repeated = REPEATABLE_PARAMETERS.find((name) => Array.isArray(parameters[name]))
  if (repeated) throw new errors.InvalidTarget(`only a single ${repeated} is supported`)

  return { subjectToken, actorToken, audience: optional(parameters, 'audience') }
}

function optional(parameters: UnknownObject, name: string): string | undefined {
  const value = parameters[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new errors.InvalidRequest(`${name} must be a single string`)
  return value
}

function required(parameters: UnknownObject, name: string): string {
  const value = optional(parameters, name)
  if (value === undefined) throw new errors.InvalidRequest(`${name} is required`)
  return value
}

/** @param type - `undefined` if it is optional and left out */
function requireAccessTokenType(name: string, type: string | undefined): void {
  if (type !== undefined && type !== ACCESS_TOKEN_TYPE) {
    throw new errors.InvalidRequest(`${name} must be ${ACCESS_TOKEN_TYPE}`)
  }
}

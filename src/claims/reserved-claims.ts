import type { UnknownObject } from 'oidc-provider'
import { GRANT_ID_CLAIM, IMPERSONATION_ID_CLAIM } from '../shared/constants.ts'

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
export const IMPERSONATION_CLAIMS: readonly string[] = [IMPERSONATION_ID_CLAIM, 'status']

/** Copying `__proto__` or `constructor` can change an object's prototype. Both are always dropped. */
export const PROTOTYPE_KEYS: readonly string[] = ['__proto__', 'constructor']

/** Removes the named claims, and answers what is left of them. */
export function remove(claims: UnknownObject, names: readonly string[]): UnknownObject {
  for (const name of names) if (Object.hasOwn(claims, name)) delete claims[name]
  return claims
}

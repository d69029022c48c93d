// lib/helpers/jwt and lib/helpers/weak_cache: the provider hands out no key that signs, and keys
// outside the process (ExternalSigningKey) are signed with by its own helper alone.
import type { Provider } from 'oidc-provider'
import { sign } from 'oidc-provider/lib/helpers/jwt.js'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'

/** The claims of a JWT. */
export type JwtPayload = Record<string, unknown>

/**
 * Signs a JWT as the provider signs a JWT access token: the same key for `alg`, its `kid` in the
 * header.
 *
 * @throws where no key signs with `alg`
 */
export async function signJwt(
  provider: Provider,
  alg: string,
  typ: string,
  payload: JwtPayload,
): Promise<string> {
  const { keystore } = instance(provider)
  const [key] = keystore.selectForSign({ alg, use: 'sig' })
  if (!key) throw new Error(`no key in jwks signs with ${alg}`)
  return sign({ ...payload }, keystore.getKeyObject(key), alg, { typ, fields: { kid: key.kid } })
}

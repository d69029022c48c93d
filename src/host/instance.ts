// lib/helpers/weak_cache: the provider keeps its merged configuration and its keys nowhere else.
// lib/helpers/defaults shows whether a policy is the deployment's own. lib/helpers/jwt signs: the
// provider exports no signing key, and only its own helper signs with keys outside the process
// (ExternalSigningKey).
import { createSecretKey, hkdfSync } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import type {
  Adapter,
  AsymmetricSigningAlgorithm,
  Client,
  ClientMetadata,
  Configuration,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import certificateThumbprint from 'oidc-provider/lib/helpers/certificate_thumbprint.js'
import { defaults } from 'oidc-provider/lib/helpers/defaults.js'
import { sign } from 'oidc-provider/lib/helpers/jwt.js'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'
import { SIGNING_ALGORITHMS } from '../shared/constants.ts'
import { warn } from '../shared/warn.ts'

export { certificateThumbprint }

/** The default of oidc-provider. */
export const { loadExistingGrant } = defaults

/** The provider's configuration, merged with its defaults. */
export function configurationOf(provider: Provider): Configuration {
  return instance(provider).configuration
}

/**
 * Checks whether a grant of this client may stay when its person signs out: by a policy of the
 * deployment, or with the scope `offline_access`, which only a client with refresh tokens gets.
 */
export function mayOutliveSignOut(provider: Provider, client: Client): boolean {
  const { revokeGrantPolicy, expiresWithSession } = configurationOf(provider)
  return (
    client.grantTypeAllowed('refresh_token') ||
    revokeGrantPolicy !== defaults.revokeGrantPolicy ||
    expiresWithSession !== defaults.expiresWithSession
  )
}

/** The clients of the configuration: those of the storage cannot be listed. */
export function staticClients(provider: Provider): readonly ClientMetadata[] {
  const clients = instance(provider).staticClients?.values() ?? []
  // A client that was looked up once is kept as an object of oidc-provider, with other names.
  return [...clients].map((client) =>
    client instanceof provider.Client ? client.metadata() : client,
  )
}

/** The public half of the provider's keys, as its jwks endpoint publishes them. */
export function publicKeys(provider: Provider): JSONWebKeySet {
  return instance(provider).jwks
}

/**
 * The algorithm, and so the key, with which the plugin signs machine-to-machine tokens and status
 * lists. It is the one that signs ID tokens, or else the first of the preference.
 *
 * @returns `undefined` if the provider has no such key
 */
export function signingAlgorithm(provider: Provider): AsymmetricSigningAlgorithm | undefined {
  const { configuration, keystore } = instance(provider)
  const preferred = configuration.clientDefaults?.id_token_signed_response_alg
  const able = SIGNING_ALGORITHMS.filter((alg) => keystore.selectForSign({ alg }).length > 0)
  return able.find((alg) => alg === preferred) ?? able[0]
}

/** Checks for oidc-provider's own in-memory adapter, which works for one process only. */
export function isDevelopmentAdapter(adapter: Adapter): boolean {
  return adapter instanceof MemoryAdapter
}

/** The algorithms of DPoP proofs; `undefined` if DPoP is off. */
export function dpopAlgorithms(provider: Provider): readonly string[] | undefined {
  const { features, dPoPSigningAlgValues } = instance(provider).configuration
  return features?.dPoP?.enabled ? dPoPSigningAlgValues : undefined
}

/** The thumbprint of the TLS client certificate, if mTLS is on and there is one. */
export function clientCertificateThumbprint(
  provider: Provider,
  ctx: KoaContextWithOIDC,
): string | undefined {
  const mTLS = instance(provider).configuration.features?.mTLS
  const certificate =
    mTLS?.enabled && 'getCertificate' in mTLS ? mTLS.getCertificate?.(ctx) : undefined
  return certificate ? certificateThumbprint(certificate) : undefined
}

/** The claims of a JWT. */
export type JwtPayload = Record<string, unknown>

/**
 * Signs a JWT as the provider signs a JWT access token, with the `kid` of the key in the header.
 *
 * @throws Error if no key can sign
 */
export async function signJwt(
  provider: Provider,
  typ: string,
  payload: JwtPayload,
): Promise<string> {
  const { keystore } = instance(provider)
  const alg = signingAlgorithm(provider)
  const [key] = alg ? keystore.selectForSign({ alg, use: 'sig' }) : []
  if (!alg || !key) throw new Error('no key in jwks can sign')
  return sign({ ...payload }, keystore.getKeyObject(key), alg, { typ, fields: { kid: key.kid } })
}

/**
 * Derives symmetric keys (RFC 5869) from the keys of cookies, and others from the private signing keys. The first of
 * each kind is the one in use. Keys outside the process are left out.
 */
export function derivedKeys(provider: Provider, purpose: string) {
  const { keystore } = instance(provider)
  const cookieKeys = configurationOf(provider).cookies?.keys ?? []
  const algorithms = [signingAlgorithm(provider) ?? [], SIGNING_ALGORITHMS].flat()
  const keys = new Set(algorithms.flatMap((alg) => keystore.selectForSign({ alg, use: 'sig' })))
  const secrets = [
    // A Keygrip keeps its keys to itself.
    Symbol.iterator in cookieKeys ? [...cookieKeys] : [],
    [...keys].flatMap(({ d, priv }) => d ?? priv ?? []),
  ]
  return secrets.map((kind) =>
    kind.map((secret) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))),
  )
}

/**
 * Emits an event as oidc-provider does. The listeners run at once. If one throws, a warning
 * reports it, and the request goes on. The listeners after it do not run, as with every emitter.
 */
export function emitSafely(provider: Provider, name: string, ...args: unknown[]): void {
  try {
    provider.emit(name, ...args)
  } catch (error) {
    warnOfListener(name, error)
  }
}

/** Warns that a listener of the deployment failed. */
export function warnOfListener(name: string, error: unknown): void {
  warn(
    'LISTENER_FAILED',
    `a listener for ${name} failed: ${error instanceof Error ? error.message : 'no Error'}`,
  )
}

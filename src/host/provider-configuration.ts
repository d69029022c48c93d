// lib/helpers/weak_cache: the provider keeps its merged configuration and its keys nowhere else.
import type {
  Adapter,
  ClientMetadata,
  Configuration,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import certificateThumbprint from 'oidc-provider/lib/helpers/certificate_thumbprint.js'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'

export { certificateThumbprint }

/** The provider's configuration, merged with its defaults. */
export function configurationOf(provider: Provider): Configuration {
  return instance(provider).configuration
}

/** The clients of the configuration: those of the storage cannot be listed. */
export function staticClients(provider: Provider): readonly ClientMetadata[] {
  return [...(instance(provider).staticClients?.values() ?? [])]
}

/** The public half of the provider's keys, as its jwks endpoint publishes them. */
export function publicKeys(provider: Provider): { keys: Array<Record<string, unknown>> } {
  return instance(provider).jwks
}

/** Whether the provider has a key that signs with `alg`. */
export function canSign(provider: Provider, alg: string): boolean {
  return instance(provider).keystore.selectForSign({ alg }).length > 0
}

/** Whether this is oidc-provider's own in-memory adapter, which works for one process only. */
export function isDevelopmentAdapter(adapter: Adapter): boolean {
  return adapter instanceof MemoryAdapter
}

/** The algorithms of DPoP proofs; `undefined` where DPoP is off. */
export function dpopAlgorithms(provider: Provider): readonly string[] | undefined {
  const { features, dPoPSigningAlgValues } = instance(provider).configuration
  return features?.dPoP?.enabled ? dPoPSigningAlgValues : undefined
}

/** The thumbprint of the TLS client certificate, where mTLS is on and there is one. */
export function clientCertificateThumbprint(
  provider: Provider,
  ctx: KoaContextWithOIDC,
): string | undefined {
  const mTLS = instance(provider).configuration.features?.mTLS
  const certificate =
    mTLS?.enabled && 'getCertificate' in mTLS ? mTLS.getCertificate?.(ctx) : undefined
  return certificate ? certificateThumbprint(certificate) : undefined
}

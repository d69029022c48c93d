// lib/helpers/weak_cache: no option tells metadata of self-registered clients from that of others.
import type { Client, Provider } from 'oidc-provider'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'

/** Validates client metadata by being constructed, synchronously. Outside the published types. */
type ClientSchema = new (
  metadata: unknown,
  ctx?: object,
  processCustomMetadata?: boolean,
  isMetadataDocument?: boolean,
) => object

/**
 * Validates what clients say about themselves as if the provider did not have the grant type:
 * metadata of dynamic registration, which alone is validated with a request's context, and of
 * client-id metadata documents. Clients of the configuration and of the storage may list it.
 */
export function withholdFromSelfRegistered(provider: Provider, grantType: string): void {
  const { configuration } = instance(provider)
  const { Schema } = provider.Client as typeof Client & { readonly Schema: ClientSchema }
  const construct: ProxyHandler<ClientSchema>['construct'] = (target, args, newTarget) => {
    const [, ctx, , isMetadataDocument] = args
    if (ctx === undefined && isMetadataDocument !== true) {
      return Reflect.construct(target, args, newTarget)
    }
    const { grantTypes } = configuration
    configuration.grantTypes = new Set([...grantTypes].filter((name) => name !== grantType))
    try {
      return Reflect.construct(target, args, newTarget)
    } finally {
      configuration.grantTypes = grantTypes
    }
  }
  Object.defineProperty(provider.Client, 'Schema', { value: new Proxy(Schema, { construct }) })
}

// Modules of oidc-provider that @types/oidc-provider does not describe, as far as they are used.
declare module 'oidc-provider/lib/helpers/als.js' {
  import type { AsyncLocalStorage } from 'node:async_hooks'
  import type { KoaContextWithOIDC } from 'oidc-provider'

  const als: AsyncLocalStorage<KoaContextWithOIDC>
  export default als
}
declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { JSONWebKeySet } from 'jose'
  import type { Client, ClientMetadata, Configuration } from 'oidc-provider'

  interface Instance {
    /** The clients of the configuration by their id, if it has any. */
    staticClients?: ReadonlyMap<string, Client | ClientMetadata>
    /** The public half of the provider's keys, as its jwks endpoint publishes them. */
    jwks: JSONWebKeySet
    configuration: Configuration & {
      dPoPSigningAlgValues: readonly string[]
      /** The values that a client may list in its `grant_types`. */
      grantTypes: ReadonlySet<string>
    }
    keystore: {
      selectForSign(filter: {
        alg: string
        use?: 'sig'
      }): Array<{ readonly kid: string; readonly d?: string; readonly priv?: string }>
      /** The signing key: itself, or code outside the process. */
      getKeyObject(key: object): object
    }
  }
  export default function instance(provider: object): Instance
}
declare module 'oidc-provider/lib/helpers/defaults.js' {
  import type { Configuration } from 'oidc-provider'

  export const defaults: Configuration & {
    loadExistingGrant: NonNullable<Configuration['loadExistingGrant']>
  }
}
declare module 'oidc-provider/lib/helpers/jwt.js' {
  /** Sets claims of the given payload. */
  export function sign(
    payload: Record<string, unknown>,
    key: object,
    alg: string,
    options: { typ: string; fields: Record<string, unknown> },
  ): Promise<string>
}
declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { Adapter } from 'oidc-provider'

  const MemoryAdapter: abstract new (...args: never[]) => Adapter
  export default MemoryAdapter
}
declare module 'oidc-provider/lib/helpers/certificate_thumbprint.js' {
  import type { X509Certificate } from 'node:crypto'
  export default function certificateThumbprint(certificate: string | X509Certificate): string
}
declare module 'oidc-provider/lib/shared/cors.js' {
  import type { KoaContextWithOIDC } from 'oidc-provider'

  export default function cors(options: {
    allowMethods: string
    clientBased: boolean
    exposeHeaders: (ctx: KoaContextWithOIDC) => readonly string[]
    maxAge: number
  }): (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>
}

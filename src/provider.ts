import {
  type Configuration,
  type KoaContextWithOIDC,
  Provider as OidcProvider,
} from 'oidc-provider'
import { instance } from './host/weak-cache.ts'
import { ImpersonationFeature } from './impersonation.ts'
import type { Listen } from './public/events.ts'
import type { ImpersonationOptions } from './public/options.ts'

/** oidc-provider's configuration with `features.impersonation`. */
export type ProviderConfiguration = Configuration & {
  features?: { impersonation?: ImpersonationOptions | undefined } | undefined
  ttl?:
    | {
        /**
         * The lifetime of a subject token, in seconds: 1 to 3600, or a function whose result is
         * cut to 3600.
         * @defaultValue `600`
         */
        SubjectToken?: number | ((ctx: KoaContextWithOIDC) => number) | undefined
      }
    | undefined
}

/**
 * oidc-provider's `Provider` with impersonation. It takes `features.impersonation` in its
 * configuration, and has the management API under {@link Provider.impersonation}.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface below types listeners and adds no member.
export class Provider extends OidcProvider {
  /**
   * The management API, with `routes()` for Koa and `callback()` for everything else. If it is not
   * mounted, `provider.listen()` serves it.
   */
  readonly impersonation: ImpersonationFeature

  /**
   * @param issuer - the Issuer Identifier, as for oidc-provider
   * @throws TypeError for a wrong option under `features.impersonation`, or a storage adapter that
   * cannot keep single use
   */
  constructor(issuer: string, configuration: ProviderConfiguration = {}) {
    const impersonation = new ImpersonationFeature(configuration.features?.impersonation)
    super(issuer, impersonation.configure(configuration))
    this.impersonation = impersonation
    impersonation.register(this)
    // A provider that is the whole server serves the management API itself. A caller that mounts
    // callback() mounts the management API as well.
    const { listen } = this
    this.listen = (...given: unknown[]) => {
      if (impersonation.enabled && !instance(this).isMounted) this.use(impersonation.routes())
      return Reflect.apply(listen, this, given)
    }
  }
}

/** The provider's listeners, with the events of this package. */
export interface Provider {
  on: OidcProvider['on'] & Listen<this>
  once: OidcProvider['once'] & Listen<this>
  addListener: OidcProvider['addListener'] & Listen<this>
  prependListener: OidcProvider['prependListener'] & Listen<this>
  prependOnceListener: OidcProvider['prependOnceListener'] & Listen<this>
}

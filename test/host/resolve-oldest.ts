// Preloaded with --import: every import of oidc-provider becomes the oldest supported version.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.replace(/^oidc-provider(?=$|\/)/, 'oidc-provider-oldest'), context),
})

// Preloaded with --import: every import of React becomes React 18.
import { registerHooks } from 'node:module'

const FRAMEWORKS = new URL('../frameworks/', import.meta.url).href

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const changed = specifier.replace(/^react(-dom)?(?=$|\/)/, '$&-18')
    const isReact = changed !== specifier
    return nextResolve(changed, isReact ? { ...context, parentURL: FRAMEWORKS } : context)
  },
})

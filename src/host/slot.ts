/**
 * What belongs to one provider, kept beside it and not on it: each layer declares the slot of what it keeps, so that a
 * function of `(provider, ctx)` finds it, and no type is imported upwards.
 */
export interface Slot<T> {
  /** Throws where nothing was set: the provider was not assembled. */
  of(provider: object): T
  find(provider: object): T | undefined
  set(provider: object, value: T): T
}

/** @param name What an error says is missing, as in `the options`. */
export function slot<T>(name: string): Slot<T> {
  const values = new WeakMap<object, { readonly value: T }>()
  return {
    of(provider) {
      const found = values.get(provider)
      if (found === undefined) throw new Error(`${name}: not set for this provider`)
      return found.value
    },
    find: (provider) => values.get(provider)?.value,
    set(provider, value) {
      values.set(provider, { value })
      return value
    },
  }
}

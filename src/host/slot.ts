/**
 * What belongs to one provider or to one request, kept beside it and not on it: each layer declares the slot of what it
 * keeps, so that a function of `(provider, ctx)` finds it, and no type is imported upwards.
 */
export interface Slot<T extends object> {
  /** Throws where nothing was set: the provider was not assembled. */
  of(owner: object): T
  find(owner: object): T | undefined
  set(owner: object, value: T): T
}

/**
 * @param name what an error says is missing, as in `the options`
 * @param make what is there from the first look on, where it need not be set
 */
export function slot<T extends object>(name: string, make?: () => T): Slot<T> {
  const values = new WeakMap<object, T>()
  const set = (owner: object, value: T) => {
    values.set(owner, value)
    return value
  }
  return {
    of(owner) {
      const found = values.get(owner) ?? (make && set(owner, make()))
      if (found === undefined) throw new Error(`${name}: not set`)
      return found
    },
    find: (owner) => values.get(owner),
    set,
  }
}

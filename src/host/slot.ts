/**
 * State of one provider or request, in a WeakMap. Each layer declares its own slot, so that a
 * function of `(provider, ctx)` finds the state, and no type is imported upwards.
 */
export interface Slot<T extends object> {
  /** Throws if nothing was set because the provider was not assembled. */
  of(owner: object): T
  find(owner: object): T | undefined
  set(owner: object, value: T): T
}

/**
 * @param name - the missing state, for the error, as in `the options`
 * @param make - makes the first value, if it need not be set
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

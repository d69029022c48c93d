/**
 * A store on your server for data that the browser must not have: the subject token while the
 * provider identifies the operator, and the access token of the customer. Every process of your
 * application needs the same store. If a function throws, so does the function that you called.
 */
export interface ImpersonationStore {
  /** Returns the value, or nothing if there is none, or its time has passed. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined
  /**
   * Stores a value, which is JSON and can be longer than a cookie, and replaces the one before.
   *
   * @param id - at most 80 characters: letters, digits, `:`, `-` and `_`
   * @param expiresAtMs - the time from which the value may be gone, in whole milliseconds since
   * the epoch
   */
  set(id: string, value: string, expiresAtMs: number): unknown
  /**
   * Returns `false` or 0 if there was no value. Then of two callbacks in the same moment, one goes
   * on. If the store cannot report it, one goes on in each process. The provider may then refuse
   * both, and the operator starts again.
   */
  delete(id: string): unknown
}

const MAX_ENTRIES = 1000

/**
 * A store in the memory of this process, for development and for applications of one process. A
 * restart drops the impersonations, and they go on at the provider until they expire.
 *
 * It has 1,000 entries at most. If it is full, it drops the entry that expires first, which is a
 * started sign-in rather than an acting operator. A flood of forms can so make operators begin
 * again who are at the provider at that moment. Limit the route of `accept` by address in your
 * proxy.
 */
export function memoryStore(): ImpersonationStore {
  const entries = new Map<string, { readonly value: string; readonly expiresAtMs: number }>()

  function makeRoom(): void {
    let first: string | undefined
    let earliest = Infinity
    for (const [id, { expiresAtMs }] of entries) {
      if (expiresAtMs <= Date.now()) entries.delete(id)
      else if (expiresAtMs < earliest) [first, earliest] = [id, expiresAtMs]
    }
    if (entries.size >= MAX_ENTRIES && first !== undefined) entries.delete(first)
  }

  return {
    get(id) {
      const entry = entries.get(id)
      return entry && entry.expiresAtMs > Date.now() ? entry.value : undefined
    },
    set(id, value, expiresAtMs) {
      makeRoom()
      entries.set(id, { value, expiresAtMs })
    },
    delete: (id) => entries.delete(id),
  }
}

/** Stores used proofs. `sender.ts` refuses a proof that was used before. */
export interface ReplayStore {
  /**
   * Resolves `true` on the first call with an id, and `false` on every later call. It is one step:
   * of any number of calls at once, exactly one gets `true`. If it throws, the request is refused
   * with a server error of the API.
   *
   * @param id - the name of a proof: 43 characters, a hash
   * @param expiresAt - the time from which the proof is too old, in whole seconds since the epoch
   * @example
   * // node-redis
   * isFirstUse: async (id, expiresAt) =>
   *   (await redis.set(`proof:${id}`, '1', { condition: 'NX', expiration: { type: 'EXAT', value: expiresAt } })) === 'OK'
   */
  isFirstUse(id: string, expiresAt: number): boolean | Promise<boolean>
}

/** The limit of the store, about 15 MB. */
const MAX_REMEMBERED = 100_000

/**
 * Stores used proofs in the memory of this process until they are too old.
 *
 * It fails closed. After it drops proofs (they expired, or memory is full), it refuses every proof
 * that expires in the same second. When memory is full, it drops the second with the most proofs,
 * which is a second of the flood. So a flood blocks one second at a time, and not the proofs of
 * all other clients. If the clock is set back, no used proof becomes usable again.
 */
export function memoryReplayStore(limit: number = MAX_REMEMBERED): ReplayStore {
  /** The ids of used proofs by the second of their expiry; `undefined` for a dropped second. */
  const used = new Map<number, Set<string> | undefined>()
  let size = 0
  let expiredUntil = 0

  function forgetFullest(): void {
    let [fullest, most] = [0, 0]
    for (const [second, ids] of used) {
      if (ids && ids.size > most) [fullest, most] = [second, ids.size]
    }
    used.set(fullest, undefined)
    size -= most
  }

  return {
    isFirstUse(id, expiresAt) {
      const now = Date.now() / 1000
      for (const [second, ids] of used) {
        if (second <= now) {
          size -= ids?.size ?? 0
          used.delete(second)
          expiredUntil = Math.max(expiredUntil, second)
        } else if (ids?.has(id)) return false
      }
      if (size >= limit) forgetFullest()
      if (expiresAt <= expiredUntil) return false
      const ids = used.has(expiresAt) ? used.get(expiresAt) : new Set<string>()
      if (!ids) return false
      used.set(expiresAt, ids.add(id))
      size += 1
      return true
    },
  }
}

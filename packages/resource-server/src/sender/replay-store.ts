/** Remembers which proofs were used. `sender.ts` refuses a proof that was used before. */
export interface ReplayStore {
  /**
   * Resolves true the first time that it is asked for an id, and false ever after. It is one step:
   * of any number of calls at once, one gets true. If it throws, the request is refused with a
   * server error of the API.
   *
   * @param id - names a proof: 43 characters, a hash
   * @param expiresAt - from when on the proof is too old anyway, in whole seconds since the epoch
   * @example
   * // node-redis
   * isFirstUse: async (id, expiresAt) =>
   *   (await redis.set(`proof:${id}`, '1', { condition: 'NX', expiration: { type: 'EXAT', value: expiresAt } })) === 'OK'
   */
  isFirstUse(id: string, expiresAt: number): boolean | Promise<boolean>
}

/** About 15 MB. */
const MAX_REMEMBERED = 100_000

/**
 * Remembers used proofs in the memory of this process, for as long as they are young enough.
 *
 * It fails closed: after it forgets proofs (they expired, or memory is full), it refuses every
 * proof that expires in the same second. When memory is full, it forgets the second with the most
 * proofs, which is a second of the flood: a flood blocks one second at a time, and not the proofs
 * of all other clients. A clock that is set back makes none usable again.
 */
export function memoryReplayStore(limit: number = MAX_REMEMBERED): ReplayStore {
  /** The ids of used proofs, by the second of their expiry; `undefined` for a forgotten one. */
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

/** What the two clocks may differ by, in milliseconds, so that rounding and slewing are no jump. */
const MIN_JUMP_MS = 1000

/**
 * Makes a clock for the age of what is held, in milliseconds. It never goes back and cannot be
 * stopped: it is the monotonic clock, and where the wall clock jumps forward, it jumps with it. The
 * monotonic clock alone stands still while a machine is suspended.
 */
export function agingClock(): () => number {
  let difference = Date.now() - performance.now()
  let jumped = 0
  return () => {
    const now = performance.now()
    const jump = Date.now() - now - difference
    if (Math.abs(jump) > MIN_JUMP_MS) {
      difference += jump
      jumped += Math.max(jump, 0)
    }
    return now + jumped
  }
}

/** How long a fetch that failed is not tried again, in milliseconds, from its start. */
export const RETRY_AFTER_MS = 1000

/**
 * When something of the provider's is fetched again. There are no timers: a request that needs it starts the
 * fetch, and one fetch runs at a time. All times are those of {@link agingClock}: setting the wall clock
 * makes nothing younger.
 */
export class Upkeep {
  /** From when on a request starts a fetch. */
  refreshAt = Number.NEGATIVE_INFINITY
  /** From when on a request waits for the fetch that is under way. */
  staleAt = Number.NEGATIVE_INFINITY
  /** What the last fetch that failed threw. */
  failure: unknown
  #retryAt = Number.NEGATIVE_INFINITY
  #flight: Promise<void> | undefined

  /**
   * Resolves once a request may go on. It does not reject.
   *
   * @param fetch gets the time of its start, and sets `refreshAt` and `staleAt`
   */
  async keep(now: number, fetch: (start: number) => Promise<void>): Promise<void> {
    if (now >= this.refreshAt && now >= this.#retryAt) this.#flight ??= this.#fetch(now, fetch)
    if (now >= this.staleAt) await this.#flight
  }

  async #fetch(start: number, fetch: (start: number) => Promise<void>): Promise<void> {
    try {
      await fetch(start)
    } catch (cause) {
      this.failure = cause
      this.#retryAt = start + RETRY_AFTER_MS
    } finally {
      this.#flight = undefined
    }
  }
}

/**
 * The tolerated difference of the two clocks, in milliseconds. Rounding and slewing are no jump.
 */
const MIN_JUMP_MS = 1000

/**
 * Makes a clock for the age of held data, in milliseconds. It never goes back and never stops. It
 * is the monotonic clock, and if the wall clock jumps forward, it jumps with it. The monotonic
 * clock alone stands still while a machine is suspended.
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

/** The time until a failed fetch is tried again, in milliseconds, from its start. */
export const RETRY_AFTER_MS = 1000

/**
 * Schedules the fetches of data that the provider publishes. There are no timers. A request that
 * needs the data starts the fetch, and one fetch runs at a time. All times are those of
 * {@link agingClock}, so setting the wall clock makes nothing younger.
 */
export class Upkeep {
  /** The time from which a request starts a fetch. */
  refreshAt = Number.NEGATIVE_INFINITY
  /** The time from which a request waits for the fetch under way. */
  staleAt = Number.NEGATIVE_INFINITY
  /** The error of the last fetch that failed. */
  failure: unknown
  #retryAt = Number.NEGATIVE_INFINITY
  #flight: Promise<void> | undefined

  /**
   * Resolves once a request may go on. It does not reject.
   *
   * @param fetch - gets the time of its start, and sets `refreshAt` and `staleAt`
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

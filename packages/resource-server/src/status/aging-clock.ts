/** In milliseconds: what the two clocks may differ by, so that rounding and slewing are no jump. */
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

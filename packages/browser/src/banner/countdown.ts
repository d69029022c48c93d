/** Seconds before the end at which screen readers say the time. */
const ANNOUNCED_SECONDS = [60, 10]

/**
 * Tells how many milliseconds are left. Two clocks count, and the one with less time left is right:
 * the time of day, because the other can stand still while the machine sleeps; and the clock of the
 * page, because the time of day can be put back. It is no stopwatch of `../stopwatch.ts`: what the banner shares
 * with the sign-in is one more file that each page loads.
 *
 * @param expiresAt milliseconds since the epoch
 */
export function countdown(expiresAt: number): () => number {
  const limit = performance.now() + expiresAt - Date.now()
  return () => Math.min(expiresAt - Date.now(), limit - performance.now())
}

/** Whether to say these seconds now. Each announcement is made once, and late rather than never. */
export function announcements(): (seconds: number) => boolean {
  let last = Infinity
  return (seconds) => {
    const reached = ANNOUNCED_SECONDS.filter((mark) => seconds <= mark).at(-1)
    if (reached === undefined || reached >= last) return false
    last = reached
    return true
  }
}

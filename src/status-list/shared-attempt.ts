/** How long, in milliseconds, an attempt is joined. A storage may never answer. */
const ATTEMPT_TIMEOUT_MS = 5000

/**
 * Makes the attempt shared: all who ask while it is under way get the same one. One that takes longer
 * than five seconds is left to itself, and the next to ask begins another.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function sharedAttempt(
  attempt: () => Promise<void>,
  now: () => number,
): () => Promise<void> {
  let underWay: { readonly from: number; readonly done: Promise<void> } | undefined
  return () => {
    // Absolute: a clock can be set back.
    if (underWay && Math.abs(now() - underWay.from) < ATTEMPT_TIMEOUT_MS) return underWay.done
    const mine = { from: now(), done: attempt() }
    underWay = mine
    const settle = () => {
      if (underWay === mine) underWay = undefined
    }
    mine.done.then(settle, settle)
    return mine.done
  }
}

/**
 * Runs a piece of work once the work before it is over.
 *
 * @param wait for the work before; rejects where it takes too long: then this work is not done
 */
export type InTurn = <T>(
  wait: (before: Promise<void>) => Promise<unknown>,
  work: () => Promise<T>,
) => Promise<T>

/** Lets one piece of work run at a time, in the order in which they came. */
export function takingTurns(): InTurn {
  let last: Promise<void> = Promise.resolve()
  return async (wait, work) => {
    const before = last
    const own = Promise.withResolvers<void>()
    last = before.then(() => own.promise)
    try {
      await wait(before)
      return await work()
    } finally {
      own.resolve()
    }
  }
}

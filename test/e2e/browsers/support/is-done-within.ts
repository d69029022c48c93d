import { setTimeout as wait } from 'node:timers/promises'

/** Waits until this is done or has failed, but not longer. Answers whether it is done. */
export function isDoneWithin(milliseconds: number, doing: Promise<unknown>): Promise<boolean> {
  const done = doing.then(
    () => true,
    () => false,
  )
  return Promise.race([done, wait(milliseconds, false, { ref: false })])
}

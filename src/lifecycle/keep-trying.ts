import { setTimeout as wait } from 'node:timers/promises'

/** The first pause, in milliseconds; each is twice as long as the one before. */
const FIRST_PAUSE = 250
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE = 30_000

/**
 * Does what no request waits for, after the answer of the request that caused it, and again until
 * it succeeds. It keeps no process alive.
 *
 * @param what for the warning when it is given up
 * @param seconds how long it makes sense to try
 */
export function keepTrying(what: string, seconds: number, attempt: () => Promise<void>): void {
  const until = performance.now() + seconds * 1000
  setImmediate(async () => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        await attempt()
        return
      } catch (error) {
        if (performance.now() + pause > until) {
          process.emitWarning(
            `${what} failed, and it is not tried again: ${error instanceof Error ? error.message : 'no Error'}`,
            'ImpersonationWarning',
          )
          return
        }
      }
      await wait(pause, undefined, { ref: false })
    }
  })
}

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { slot } from '../host/slot.ts'
import { MAX_ACCESS_TOKEN_TTL } from '../shared/constants.ts'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** The first pause, in milliseconds; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 250
/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 30_000
/** How long one attempt may take, in milliseconds: no storage that never answers holds up the others. */
const ATTEMPT_MS = 60_000
/** How many things are tried again at once. */
const AT_ONCE = 16
/** How many things wait at most. */
const MAX_WAITING = 50_000

/**
 * The ends of a provider that no request waits for. What can act can be ended (I14): what one of them ends may
 * have been issued by a process with another `accessToken.maxTtl`.
 */
export const endingsOf = slot('the ends that no request waits for', () =>
  keepTrying('an end', MAX_ACCESS_TOKEN_TTL),
)

interface Thing {
  readonly attempt: () => Promise<unknown>
  /** When to give it up, by the monotonic clock. */
  readonly until: number
  hasFailed: boolean
}

/**
 * What no request waits for. Each thing is tried at once. Those that failed share one queue, so that
 * a storage that is down is asked now and then and not by everything that waits, and memory has a
 * bound. It keeps no process alive.
 *
 * @param what for the warning when it is given up
 * @param seconds how long it makes sense to try
 * @param most how many things wait at most; what comes then is given up at once
 * @param attemptMs how long an attempt may take before it counts as failed, and is made again
 */
export function keepTrying(
  what: string,
  seconds: number,
  most = MAX_WAITING,
  attemptMs = ATTEMPT_MS,
) {
  /** The one that was tried last comes last. */
  const things = new Map<string, Thing>()
  let isRetrying = false
  /** Whether it was logged that something is given up because too much waits. */
  let isWarned = false
  const firstAttempts = new Set<Promise<void>>()

  const giveUp = (reason: string) =>
    warn('GIVEN_UP', `${what} failed, and it is not tried again: ${reason}`)

  /** Returns whether it succeeded. */
  async function attempt(key: string, thing: Thing): Promise<boolean> {
    try {
      await limitTime(attemptMs, thing.attempt(), () => new Error('it took too long'))
      things.delete(key)
      return true
    } catch (error) {
      things.delete(key)
      if (performance.now() >= thing.until) {
        giveUp(error instanceof Error ? error.message : 'no Error')
      } else {
        thing.hasFailed = true
        things.set(key, thing)
      }
      return false
    }
  }

  async function retry(): Promise<void> {
    if (isRetrying) return
    isRetrying = true
    for (let pause = FIRST_PAUSE_MS; ; ) {
      await wait(pause, undefined, { ref: false })
      const next = [...things].filter(([, { hasFailed }]) => hasFailed).slice(0, AT_ONCE)
      if (next.length === 0) break
      const outcomes = await Promise.all(next.map(([key, thing]) => attempt(key, thing)))
      const isBetter = outcomes.includes(true)
      pause = isBetter ? 0 : Math.min(Math.max(2 * pause, FIRST_PAUSE_MS), MAX_PAUSE_MS)
    }
    isRetrying = false
  }

  async function begin(key: string, thing: Thing): Promise<void> {
    await nextTurn()
    if (!(await attempt(key, thing))) void retry()
  }

  /**
   * Does something after the answer of the request that caused it, and again until it succeeds.
   *
   * @param key names the thing: while it is under way, the same thing is not begun a second time
   */
  const keep = (key: string, run: () => Promise<unknown>): void => {
    if (things.has(key)) return
    if (things.size >= most) {
      if (!isWarned) giveUp(`${most} others wait`)
      isWarned = true
      return
    }
    isWarned = false
    const until = performance.now() + seconds * 1000
    const thing: Thing = { attempt: run, until, hasFailed: false }
    things.set(key, thing)
    const first = begin(key, thing).finally(() => firstAttempts.delete(first))
    firstAttempts.add(first)
  }
  /** Resolves when the first attempts that are under way are over. */
  const tried = async (): Promise<void> => void (await Promise.all(firstAttempts))
  return Object.assign(keep, { tried })
}

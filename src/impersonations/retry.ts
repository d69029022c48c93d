import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** The first pause, in milliseconds. Each is twice as long as the one before. */
const FIRST_PAUSE_MS = 250
/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 30_000
/**
 * The timeout of one attempt, in milliseconds, so that a storage that never responds does not hold
 * up the others.
 */
const ATTEMPT_MS = 60_000
/** The number of tasks retried at once. */
const AT_ONCE = 16
/** The largest number of waiting tasks. */
const MAX_WAITING = 50_000

/** Background tasks of a provider. */
export type BackgroundTasks = ReturnType<typeof keepTrying>

interface Thing {
  readonly attempt: () => Promise<unknown>
  /** The time at which it is given up, by the monotonic clock. */
  readonly until: number
  hasFailed: boolean
}

/**
 * Runs tasks in the background. Each starts immediately. Failed tasks share one queue, so that a
 * storage that is down gets few calls, and memory has a bound. It keeps no process alive.
 *
 * @param what - the name of a task, for the warning when it is given up
 * @param seconds - the time for which retries make sense
 * @param most - the largest number of waiting tasks; further tasks are given up at once
 * @param attemptMs - the time after which an attempt counts as failed, and is repeated
 */
export function keepTrying(
  what: string,
  seconds: number,
  most = MAX_WAITING,
  attemptMs = ATTEMPT_MS,
) {
  /** In the order of their last attempts. */
  const things = new Map<string, Thing>()
  let isRetrying = false
  /** `true` once the warning about too many waiting tasks was emitted. */
  let isWarned = false
  const firstAttempts = new Set<Promise<void>>()

  const giveUp = (reason: string) =>
    warn('GIVEN_UP', `${what} failed, and it is not tried again: ${reason}`)

  /** Resolves whether it succeeded. */
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
   * Runs a task after the response of the request that caused it, and again until it succeeds.
   *
   * @param key - identifies the task; a task under way is not started a second time
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
  /** Resolves when the current first attempts are over. */
  const tried = async (): Promise<void> => void (await Promise.all(firstAttempts))
  return Object.assign(keep, { tried })
}

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
/** The largest number of waiting tasks. */
const MAX_WAITING = 50_000

/**
 * Runs tasks in the background. Each starts immediately. A task that fails is repeated until it
 * succeeds, each time after a longer pause, so that a storage that is down gets few calls. Memory
 * has a bound. It keeps no process alive.
 *
 * @param seconds - the time for which retries make sense
 * @param most - the largest number of waiting tasks; further tasks are given up at once
 * @param attemptMs - the time after which an attempt counts as failed, and is repeated
 */
export function keepTrying(seconds: number, most = MAX_WAITING, attemptMs = ATTEMPT_MS) {
  /** The first attempt of each task. */
  const tasks = new Map<string, Promise<boolean>>()
  /** `true` once the warning about too many waiting tasks was emitted. */
  let isWarned = false

  const giveUp = (reason: string) =>
    warn('GIVEN_UP', `an end failed, and it is not tried again: ${reason}`)

  /** Resolves `true` if nothing is left to do. */
  async function attempt(run: () => Promise<unknown>, until: number): Promise<boolean> {
    try {
      await limitTime(attemptMs, run())
    } catch (error) {
      if (performance.now() < until) return false
      giveUp(error instanceof Error ? error.message : 'no Error')
    }
    return true
  }

  async function runUntilDone(key: string, run: () => Promise<unknown>): Promise<void> {
    const until = performance.now() + seconds * 1000
    const first = nextTurn().then(() => attempt(run, until))
    tasks.set(key, first)
    let isDone = await first
    for (let pause = FIRST_PAUSE_MS; !isDone; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      await wait(pause, undefined, { ref: false })
      isDone = await attempt(run, until)
    }
    tasks.delete(key)
  }

  /**
   * Runs a task after the response of the request that caused it, and again until it succeeds.
   *
   * @param key - identifies the task; a task under way is not started a second time
   */
  const keep = (key: string, run: () => Promise<unknown>): void => {
    if (tasks.has(key)) return
    if (tasks.size < most) {
      isWarned = false
      void runUntilDone(key, run)
    } else if (!isWarned) {
      isWarned = true
      giveUp(`${most} others wait`)
    }
  }
  /** Resolves when the current first attempts are over. */
  const tried = async (): Promise<void> => void (await Promise.all(tasks.values()))
  return Object.assign(keep, { tried })
}

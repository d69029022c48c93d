/** Timers of this many milliseconds and more wait for {@link StoppedClock.pass}, unless said otherwise. */
const LONG_MS = 5_000

interface StoppedClock extends Disposable {
  /** Moves both clocks, and runs the long timers that are due then. */
  pass(seconds: number): void
  /** How many long timers wait. */
  readonly waiting: number
}

/**
 * Stops the clocks of this process, wall clock and monotonic clock, until disposed of. Long timers that
 * are set meanwhile stop with them.
 */
export function stoppedClock(longMs = LONG_MS): StoppedClock {
  const { now: wall } = Date
  const { now: monotonic } = performance
  const { setTimeout: real, clearTimeout: clear } = globalThis
  // Whole numbers, so that sums are exact.
  const [date, moment] = [Date.now(), Math.ceil(performance.now())]
  const timers = new Map<unknown, { due: number; run: () => void }>()
  let passed = 0
  Date.now = () => date + passed
  performance.now = () => moment + passed
  const held = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
    if (delay < longMs) return real(run, delay, ...args)
    const timer = real(() => {}, 0)
    timers.set(timer, { due: passed + delay, run: () => run(...args) })
    return timer
  }
  globalThis.setTimeout = Object.assign(held, real)
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer)
    clear(timer)
  }
  return {
    pass(seconds) {
      passed += seconds * 1000
      for (const [timer, { due, run }] of timers) {
        if (due <= passed && timers.delete(timer)) run()
      }
    },
    get waiting() {
      return timers.size
    },
    [Symbol.dispose]() {
      Date.now = wall
      performance.now = monotonic
      globalThis.setTimeout = real
      globalThis.clearTimeout = clear
    },
  }
}

/** Timers of this many milliseconds and more wait for {@link StoppedClock.pass}. */
const LONG_MS = 5_000

interface StoppedClock extends Disposable {
  /** Moves both clocks, and runs the long timers that are due then. */
  pass(seconds: number): void
}

/**
 * Stops the clocks of this process, wall clock and monotonic clock, until disposed of. Long timers that
 * are set meanwhile stop with them; clearing one has no effect.
 */
export function stoppedClock(): StoppedClock {
  const { now: wall } = Date
  const { now: monotonic } = performance
  const { setTimeout: real } = globalThis
  // Whole numbers, so that sums are exact.
  const [date, moment] = [Date.now(), Math.ceil(performance.now())]
  const timers = new Set<{ due: number; run: () => void }>()
  let passed = 0
  Date.now = () => date + passed
  performance.now = () => moment + passed
  const held = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
    if (delay < LONG_MS) return real(run, delay, ...args)
    timers.add({ due: passed + delay, run: () => run(...args) })
    return real(() => {}, 0)
  }
  globalThis.setTimeout = Object.assign(held, real)
  return {
    pass(seconds) {
      passed += seconds * 1000
      for (const timer of timers) if (timer.due <= passed && timers.delete(timer)) timer.run()
    },
    [Symbol.dispose]() {
      Date.now = wall
      performance.now = monotonic
      globalThis.setTimeout = real
    },
  }
}

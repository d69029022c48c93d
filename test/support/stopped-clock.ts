/**
 * Stops the clocks of this process, wall clock and monotonic clock, until disposed of. Timers that are set
 * meanwhile stop with them. Those of `node:timers/promises` go on: tests wait by them.
 */
export function stoppedClock() {
  const { now: wall } = Date
  const { now: monotonic } = performance
  const { setTimeout: realTimeout, setInterval: realInterval, clearTimeout: clear } = globalThis
  // Whole numbers, so that sums are exact.
  const [date, moment] = [Date.now(), Math.ceil(performance.now())]
  const timers = new Map<object, { due: number; every: number | undefined; run: () => void }>()
  let passed = 0
  Date.now = () => date + passed
  performance.now = () => moment + passed

  function hold(
    run: (...args: unknown[]) => void,
    delay: number,
    isRepeated: boolean,
    args: unknown[],
  ) {
    // A real timer that never runs: what is set can be cleared and have no reference.
    const handle = realTimeout(() => {}, 2 ** 30)
    handle.unref()
    const every = isRepeated ? Math.max(delay, 1) : undefined
    timers.set(handle, { due: passed + delay, every, run: () => run(...args) })
    return handle
  }
  const setTimeout = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
    delay > 0 ? hold(run, delay, false, args) : realTimeout(run, 0, ...args)
  const setInterval = (run: (...args: unknown[]) => void, delay = 1, ...args: unknown[]) =>
    hold(run, delay, true, args)
  const forget = (handle: object | undefined) => {
    if (handle) timers.delete(handle)
    clear(handle as NodeJS.Timeout | undefined)
  }
  const patched = { setTimeout, setInterval, clearTimeout: forget, clearInterval: forget }
  const { clearInterval: realClearInterval } = globalThis
  Object.assign(globalThis, patched)
  Object.assign(setTimeout, realTimeout)

  function runNext(until: number): boolean {
    const [handle, timer] = [...timers]
      .filter(([, { due }]) => due <= until)
      .toSorted(([, one], [, other]) => one.due - other.due)[0] ?? [undefined, undefined]
    if (!handle || !timer) return false
    if (timer.every === undefined) timers.delete(handle)
    else timers.set(handle, { ...timer, due: timer.due + timer.every })
    timer.run()
    return true
  }

  return {
    /** Moves both clocks, and runs the timers that are due then. */
    pass(seconds: number) {
      passed += seconds * 1000
      while (runNext(passed));
    },
    /** The number of timers that wait. */
    get waiting() {
      return timers.size
    },
    [Symbol.dispose]() {
      Date.now = wall
      performance.now = monotonic
      Object.assign(globalThis, {
        setTimeout: realTimeout,
        setInterval: realInterval,
        clearTimeout: clear,
        clearInterval: realClearInterval,
      })
    },
  }
}

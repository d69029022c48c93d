/** Stops the clocks of this process, wall clock and monotonic clock, until disposed of. */
export function stoppedClock(): Disposable & { pass(seconds: number): void } {
  const { now: wall } = Date
  const { now: monotonic } = performance
  // Whole numbers, so that sums are exact.
  const [date, moment] = [Date.now(), Math.ceil(performance.now())]
  let passed = 0
  Date.now = () => date + passed
  performance.now = () => moment + passed
  return {
    pass(seconds) {
      passed += seconds * 1000
    },
    [Symbol.dispose]() {
      Date.now = wall
      performance.now = monotonic
    },
  }
}

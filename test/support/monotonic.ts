/** Moves the clocks of this process forward, wall clock and monotonic clock, until disposed of. */
export function movableClock(): Disposable & { pass(seconds: number): void } {
  const { now: wall } = Date
  const { now: monotonic } = performance
  let passed = 0
  Date.now = () => wall() + passed
  performance.now = () => monotonic.call(performance) + passed
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

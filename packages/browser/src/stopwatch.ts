/**
 * Measures the milliseconds since now. A clock that is set back adds no time, and neither does a
 * machine that sleeps, although its second clock may stand still.
 */
export function startStopwatch(): () => number {
  const date = Date.now()
  const monotonic = performance.now()
  return () => Math.max(Date.now() - date, performance.now() - monotonic)
}

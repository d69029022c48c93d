export type MovedClock = ReturnType<typeof movedClock>

/**
 * The moved clock of this process, until it is disposed of. The moved time still advances. It replaces
 * also `new Date()`, which does not call `Date.now`.
 */
export function movedClock() {
  const real = Date
  let moved = 0
  const now = () => real.now() + moved
  globalThis.Date = new Proxy(real, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, values, created) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, created),
  })
  return {
    /** Moves the clock forward by the given milliseconds, or back. */
    by(milliseconds: number) {
      moved += milliseconds
    },
    [Symbol.dispose]() {
      globalThis.Date = real
    },
  }
}

/** The moved clock of this process, until it is disposed of. The moved time still advances. */
export interface MovedClock extends Disposable {
  /** Moves the clock forward by the given milliseconds, or back. */
  by(milliseconds: number): void
}

/** Replaces also `new Date()`, which does not call `Date.now`. */
export function movedClock(): MovedClock {
  const real = Date
  let moved = 0
  const now = () => real.now() + moved
  globalThis.Date = new Proxy(real, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, values, created) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, created),
  })
  return {
    by(milliseconds) {
      moved += milliseconds
    },
    [Symbol.dispose]() {
      globalThis.Date = real
    },
  }
}

/** The clock of this process, for as long as it is moved. Time goes on, elsewhere. */
export interface MovedClock extends Disposable {
  /** Moves it on by so many milliseconds, or back. */
  by(milliseconds: number): void
}

/** Also for `new Date()`, which does not ask `Date.now`. */
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

/** A clock of the process that goes ahead of the real one. */
export interface MovedClock {
  /** Moves it forward by `seconds`. */
  advance(seconds: number): void
  /** Restores the real clock for good. */
  restore(): void
}

/** The milliseconds by which the clock of this process is ahead, of all movers together. */
let aheadMs = 0
/** The number of movers. */
let movers = 0
/** The `Date` before, which may be that of a test framework. */
let RealDate = Date

/**
 * Replaces the `Date` of the process on the first move. Timers and `performance.now()` stay
 * unchanged.
 */
export function movedClock(): MovedClock {
  let ownMs = 0
  let isRestored = false
  return {
    advance(seconds) {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new TypeError('advance(seconds): seconds must be a number of 0 or more')
      }
      // Nobody would restore the clock.
      if (isRestored) throw new Error('advance() was called after close()')
      if (ownMs === 0 && seconds > 0) {
        if (movers === 0) replaceDate()
        movers += 1
      }
      ownMs += seconds * 1000
      aheadMs += seconds * 1000
    },
    restore() {
      isRestored = true
      if (ownMs === 0) return
      aheadMs -= ownMs
      ownMs = 0
      movers -= 1
      if (movers === 0) globalThis.Date = RealDate
    },
  }
}

function replaceDate(): void {
  const Before = Date
  RealDate = Before
  globalThis.Date = new Proxy(Before, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [Before.now() + aheadMs] : values, newTarget),
    apply: () => new Date().toString(),
    get: (target, name) =>
      name === 'now' ? () => Before.now() + aheadMs : Reflect.get(target, name),
  })
}

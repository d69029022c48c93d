/** A clock of the process that goes ahead of the real one. */
export interface MovedClock {
  /** Moves it on by so many seconds. */
  advance(seconds: number): void
  /** Sets the real clock again, for good. */
  restore(): void
}

/** How far the clock of this process is ahead, in milliseconds: of all that have moved it. */
let aheadMs = 0
/** How many have moved it. */
let movers = 0
/** What `Date` was before; that of a test framework, where that has set one. */
let RealDate = Date

/**
 * Replaces the `Date` of the process once it is moved. Timers and `performance.now()` go on as they
 * are: what waits, waits as long as before.
 */
export function movedClock(): MovedClock {
  let ownMs = 0
  let isRestored = false
  return {
    advance(seconds) {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new TypeError('advance(seconds): seconds must be a number of 0 or more')
      }
      // Nobody would set the clock again.
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

/** Whole seconds since the epoch, as every time of OAuth has them. */
export function epochSeconds(milliseconds = Date.now()): number {
  return Math.floor(milliseconds / 1000)
}

/** Resolves whether the work ends within `milliseconds`. If not, the work continues. */
export function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Resolves the result of the work. If it does not end within that many milliseconds, this rejects
 * with the error, and the work continues with an unknown outcome.
 */
export async function limitTime<T>(
  milliseconds: number,
  work: T | PromiseLike<T>,
  tooLate = () => new Error('it took too long'),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooLate()), milliseconds)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Memoises `make(key)` for `forMs`, from the start of the call. A failure is not kept. Later
 * callers wait for a call that never ends no longer than that.
 *
 * @param now - the clock, in milliseconds since the epoch
 * @param keeps - returns whether the result is given to later callers
 */
export function sharing<T>(
  forMs: number,
  now: () => number,
  make: (key: string) => Promise<T>,
  keeps: (made: T) => boolean,
): (key?: string) => Promise<T> {
  const shared = new Map<string, { readonly from: number; readonly made: Promise<T> }>()
  return async (key = '') => {
    // Absolute: a clock can be set back.
    for (const [each, { from }] of shared) if (Math.abs(now() - from) >= forMs) shared.delete(each)
    const known = shared.get(key)
    if (known) return known.made
    const mine = { from: now(), made: make(key) }
    shared.set(key, mine)
    let isKept = false
    try {
      const made = await mine.made
      isKept = keeps(made)
      return made
    } finally {
      if (!isKept && shared.get(key) === mine) shared.delete(key)
    }
  }
}

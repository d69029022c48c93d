/** Whole seconds since the epoch, as every time of OAuth has them. */
export function epochSeconds(milliseconds = Date.now()): number {
  return Math.floor(milliseconds / 1000)
}

/** Whether the work ends within that many milliseconds. If not, the work continues. */
export function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer))
  })
}

/**
 * What the work resolves with. If the work does not end within that many milliseconds, it rejects with
 * the error, and the work continues: what it did is not known then.
 */
export async function limitTime<T>(
  milliseconds: number,
  work: T | PromiseLike<T>,
  tooLate: () => Error,
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
 * Makes something for a key so that all who ask within that time from when its making began get the same. What
 * fails is not kept. Nor is a maker that never ends waited for any longer than that by those who come later.
 *
 * @param now the clock, in milliseconds since the epoch
 * @param keeps whether what was made is given to those who come after it was made
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

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

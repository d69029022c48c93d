/** What many measurements of one thing say. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  /** The 95 % interval of the median: see {@link intervalRank}. */
  readonly low: number
  readonly high: number
  /** A checkpoint, for example, counts here, and not in the median. */
  readonly mean: number
}

export function median(values: readonly number[]): number {
  return spread(values).median
}

export function spread(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b)
  const rank = intervalRank(ascending.length)
  return {
    median: quantile(ascending, 0.5),
    min: quantile(ascending, 0),
    max: quantile(ascending, 1),
    low: ascending[rank] ?? Number.NaN,
    high: ascending.at(-1 - rank) ?? Number.NaN,
    mean: ascending.reduce((sum, value) => sum + value, 0) / ascending.length,
  }
}

export function quantile(ascending: readonly number[], share: number): number {
  return (
    ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
  )
}

/**
 * How many of `count` measurements lie below the 95 % interval of their median, and as many above.
 * It supposes nothing of how the measurements are distributed: each is above the true median as
 * often as below, so the number below is that of heads among tossed coins. Six measurements are the
 * fewest with such an interval; for fewer it is all of them.
 */
export function intervalRank(count: number): number {
  // The chance of exactly `heads` heads, and of at most so many.
  let exactly = 0.5 ** count
  let atMost = exactly
  let heads = 0
  while (atMost <= 0.025) {
    exactly *= (count - heads) / (heads + 1)
    heads += 1
    atMost += exactly
  }
  return Math.max(0, heads - 1)
}

/** The growth of the values over all of their time: the slope of the line that fits best. */
export function growth(points: readonly { readonly at: number; readonly value: number }[]): number {
  const mean = (of: (point: { at: number; value: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const at = mean((point) => point.at)
  const value = mean((point) => point.value)
  const slope =
    mean((point) => (point.at - at) * (point.value - value)) / mean((point) => (point.at - at) ** 2)
  return slope * ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0))
}

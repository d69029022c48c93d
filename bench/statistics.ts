/** The summary of many measurements of one thing. */
export interface Spread {
  readonly median: number
  /** The 95 % interval of the median: see {@link intervalRank}. */
  readonly low: number
  readonly high: number
}

export function spread(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b)
  const rank = intervalRank(ascending.length)
  return {
    median: ascending[ascending.length >> 1] ?? Number.NaN,
    low: ascending[rank] ?? Number.NaN,
    high: ascending.at(-1 - rank) ?? Number.NaN,
  }
}

/**
 * The number of measurements, among `count`, below the 95 % interval of their median, and as many
 * above. It supposes nothing of their distribution: each is above the true median as often as
 * below, so the number below is that of heads among tossed coins. Six measurements are the fewest
 * with such an interval; for fewer, it is all of them.
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

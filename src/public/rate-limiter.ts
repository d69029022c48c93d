/** What is used of rate-limiter-flexible: every limiter of it fits, in memory or in Redis. */
export interface RateLimiter {
  /**
   * Takes points for a key. Resolves while points are left. Rejects with an object that has
   * `msBeforeNext` (in milliseconds) when no points are left, and with an Error when the limiter
   * itself fails.
   *
   * @param points - how many to take; 1 where it is left out
   */
  consume(key: string, points?: number): Promise<unknown>
}

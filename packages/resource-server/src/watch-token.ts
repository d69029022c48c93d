import { invalidToken } from './refusal.ts'
import { type Presented, whenOver } from './request.ts'

/** How long a timer waits at most, so that it also notices the time that a machine was suspended. */
const MAX_WAIT_MS = 60_000

/**
 * Watches an access token while its connection is open. The timers keep no process alive, and end with
 * the connection.
 *
 * @param expiresAt - in milliseconds since the epoch
 * @param check - checks the token again. It returns after how many milliseconds the next check is due,
 * or `undefined` if none is.
 * @returns a signal that aborts when the token expires, or with the error of `check`
 */
export function watchToken(
  presented: Presented,
  expiresAt: number,
  check: () => Promise<number | undefined>,
): AbortSignal {
  const controller = new AbortController()
  let isWatched = true
  let expiry: NodeJS.Timeout | undefined
  let next: NodeJS.Timeout | undefined

  function letGo(): void {
    isWatched = false
    clearTimeout(expiry)
    clearTimeout(next)
  }

  function abort(reason: unknown): void {
    if (!isWatched) return
    letGo()
    controller.abort(reason)
  }

  /** Never aborts at once: who reads the signal must be able to listen first. */
  function waitForExpiry(): void {
    const left = Math.max(expiresAt - Date.now(), 0)
    const expire = () => abort(invalidToken('access token has expired'))
    const act = left > MAX_WAIT_MS ? waitForExpiry : expire
    expiry = setTimeout(act, Math.min(left, MAX_WAIT_MS)).unref()
  }

  async function look(): Promise<void> {
    try {
      const dueIn = await check()
      if (isWatched && dueIn !== undefined) next = setTimeout(look, dueIn).unref()
    } catch (error) {
      abort(error)
    }
  }

  whenOver(presented, letGo)
  if (isWatched) {
    waitForExpiry()
    void look()
  }
  return controller.signal
}

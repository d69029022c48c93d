import { invalidToken } from './refusal.ts'
import { type Presented, whenOver } from './request.ts'

/** The longest wait of a timer, so that it also notices the time that a machine was suspended. */
const MAX_WAIT_MS = 60_000

/**
 * Watches an access token while its connection is open. The timers keep no process alive, and end
 * with the connection.
 *
 * @param expiresAt - in milliseconds since the epoch
 * @param check - checks the token again. It returns the milliseconds until the next check, or
 * `undefined` if there is none.
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

  /** Never aborts at once, because the reader of the signal must be able to listen first. */
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

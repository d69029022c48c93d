import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { log } from './log-line.ts'

/** The lines of stderr about work that is done again and again. */
export interface Says {
  /** If it begins to fail, or fails for another reason: the reason stands behind it. */
  readonly failing: string
  /** If it works again. Without it, nothing. */
  readonly again?: string
}

/**
 * @returns a function that does a piece of work, and never rejects. Trouble is said once, as long as its reason is
 * the same
 */
export function saying({ failing, again }: Says) {
  let trouble: string | undefined
  return async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      if (trouble !== undefined && again !== undefined) log(again)
      trouble = undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (trouble !== reason) log(`${failing}: ${reason}`)
      trouble = reason
    }
  }
}

/**
 * Does the work again and again, one after the other, until it is stopped. It keeps no process alive.
 *
 * @param ms the pause before the next time, in milliseconds
 * @param work gets a signal that aborts when it is stopped
 * @returns a function that stops it, and resolves when the last work is over. Never rejects
 */
export function every(
  ms: () => number,
  work: (signal: AbortSignal) => Promise<unknown>,
  { says, first = 0 }: { readonly says: Says; readonly first?: number },
): () => Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const attempt = saying(says)
  const pause = (time: number) => wait(time, undefined, { signal, ref: false }).catch(() => {})
  async function run(): Promise<void> {
    if (first > 0) await pause(first)
    while (!signal.aborted) {
      await attempt(() => work(signal))
      await pause(ms())
    }
  }
  const running = run()
  return async () => {
    over.abort()
    await running
  }
}

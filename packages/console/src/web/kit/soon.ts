const NOTIFY_PAUSE_MS = 1000

/**
 * Runs the work at once, and again after a pause if it was asked for in between: changes can come
 * faster than questions about them should.
 *
 * @param work what fails in it is left to the next change
 * @param pauseMs how long the pause is, in milliseconds
 */
export function soon(
  work: () => Promise<unknown>,
  signal: AbortSignal,
  pauseMs = NOTIFY_PAUSE_MS,
): () => void {
  let isBusy = false
  let isAsked = false
  const run = async () => {
    if (signal.aborted) return
    if (isBusy) {
      isAsked = true
      return
    }
    isBusy = true
    isAsked = false
    await work().catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    isBusy = false
    if (isAsked) void run()
  }
  return () => void run()
}

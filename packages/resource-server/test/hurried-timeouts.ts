/** Lets 40 ms pass for each `AbortSignal.timeout()` of so many milliseconds, until disposed of. */
export function hurriedTimeouts(hurried: number): Disposable & { readonly asked: number[] } {
  const { timeout } = AbortSignal
  const asked: number[] = []
  AbortSignal.timeout = (milliseconds) => {
    asked.push(milliseconds)
    return timeout(milliseconds === hurried ? 40 : milliseconds)
  }
  return {
    asked,
    [Symbol.dispose]() {
      AbortSignal.timeout = timeout
    },
  }
}

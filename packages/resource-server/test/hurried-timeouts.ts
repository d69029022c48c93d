/** Lets 40 ms pass for every `AbortSignal.timeout()`, until disposed of. */
export function hurriedTimeouts(): Disposable & { readonly asked: number[] } {
  const { timeout } = AbortSignal
  const asked: number[] = []
  AbortSignal.timeout = (milliseconds) => {
    asked.push(milliseconds)
    return timeout(40)
  }
  return {
    asked,
    [Symbol.dispose]() {
      AbortSignal.timeout = timeout
    },
  }
}

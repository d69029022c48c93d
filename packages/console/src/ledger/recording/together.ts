/**
 * Does work on what waits together: while one piece of it is done, the next one gathers. It must not reject.
 *
 * @param most so much at once
 */
export function together<T, R>(
  work: (all: readonly T[]) => Promise<readonly R[]>,
  most = Number.POSITIVE_INFINITY,
): (one: T) => Promise<R | undefined> {
  const waiting: { readonly one: T; readonly done: (result: R | undefined) => void }[] = []
  let isWorking = false

  async function workOnAll(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, most)
      const results = await work(group.map(({ one }) => one))
      for (const [index, { done }] of group.entries()) done(results[index])
    }
    isWorking = false
  }

  return (one) => {
    const { promise, resolve: done } = Promise.withResolvers<R | undefined>()
    waiting.push({ one, done })
    if (!isWorking) void workOnAll()
    return promise
  }
}

// not the global one, which tests replace by fake timers: nothing would ever resolve
import { setImmediate } from 'node:timers'
import { errorOfItsOwn } from './storage-error.ts'

/** How calls of one kind become batches. */
export interface Batching<Call, Result> {
  /** How many calls a batch holds at most. */
  readonly size: number

  /** Runs one call. */
  alone(call: Call): Promise<Result>

  /** Runs several calls at once, and resolves to a function that returns the result of each. */
  together(calls: readonly Call[]): Promise<(call: Call) => Result | Promise<Result>>

  /**
   * Says of an error of `together` that no call took effect, and that one of them may be the
   * cause. Then each runs alone. Any other error is the error of all of them.
   */
  tookNoEffect?(error: unknown): boolean

  /** Calls with the same key never run in one batch. Without it, any calls may. */
  key?(call: Call): string
}

export interface Batcher<Call, Result> {
  /** Runs a call as `alone` does, maybe together with others. */
  run(call: Call): Promise<Result>
  /** Begins with all that waits, now. */
  flush(): void
}

interface Waiting<Call, Result> {
  readonly call: Call
  resolve(result: Result | Promise<Result>): void
  reject(error: unknown): void
}

/**
 * Collects the calls of one turn of the event loop, so that one step of the storage serves all of them. A call
 * waits for the end of the turn, and never for a batch that is under way: a row that is locked or a connection
 * that is dead delays only the calls of its own batch. The busier the process, the longer its turns and the larger
 * its batches.
 */
export function batcher<Call, Result>(batching: Batching<Call, Result>): Batcher<Call, Result> {
  let waiting: Waiting<Call, Result>[] = []

  function runNext(): void {
    const { batch, others } = nextBatch(waiting, batching)
    waiting = others
    // what is more than a batch lets the process do other work first
    if (waiting.length > 0) setImmediate(runNext)
    void runBatch(batch, batching)
  }

  return {
    run: (call) =>
      new Promise((resolve, reject) => {
        // setImmediate runs after all replies and requests that have arrived by now were given out
        if (waiting.push({ call, resolve, reject }) === 1) setImmediate(runNext)
      }),
    flush() {
      while (waiting.length > 0) runNext()
    },
  }
}

function nextBatch<Call, Result>(
  waiting: readonly Waiting<Call, Result>[],
  { size, key }: Batching<Call, Result>,
) {
  const batch = new Map<unknown, Waiting<Call, Result>>()
  const others: Waiting<Call, Result>[] = []
  for (const each of waiting) {
    const own = key ? key(each.call) : each
    if (batch.size === size || batch.has(own)) others.push(each)
    else batch.set(own, each)
  }
  return { batch: [...batch.values()], others }
}

async function runBatch<Call, Result>(
  batch: readonly Waiting<Call, Result>[],
  { alone, together, tookNoEffect }: Batching<Call, Result>,
): Promise<void> {
  const eachAlone = () => {
    for (const { call, resolve } of batch) resolve(alone(call))
  }
  if (batch.length < 2) return eachAlone()
  try {
    const getResult = await together(batch.map(({ call }) => call))
    for (const { call, resolve } of batch) resolve(getResult(call))
  } catch (error) {
    if (tookNoEffect?.(error)) return eachAlone()
    for (const { reject } of batch) reject(errorOfItsOwn(error))
  }
}

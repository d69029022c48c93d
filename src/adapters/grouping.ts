import { errorOfItsOwn } from './storage-error.ts'

// As it is at the start: calls go out also where a test replaces the timers of the process.
const { setImmediate } = globalThis

/** How calls of one kind become groups. */
export interface Grouping<Call, Result> {
  /** How many calls a group holds at most. */
  readonly size: number

  /** Runs one call. */
  alone(call: Call): Promise<Result>

  /** Runs several calls at once, and resolves to a function that returns the result of each. */
  together(calls: readonly Call[]): Promise<(call: Call) => Result | Promise<Result>>

  /**
   * Says of an error of `together` that no call took effect, and that one of them may be the
   * cause. Then each runs alone. Any other error is the error of all of them.
   */
  tookNoEffect(error: unknown): boolean

  /** Calls with the same key never run in one group. Without it, any calls may. */
  key?(call: Call): string
}

interface Waiting<Call, Result> {
  readonly call: Call
  resolve(result: Result | Promise<Result>): void
  reject(error: unknown): void
}

/**
 * Returns a function that runs a call as `alone` does, but collects the calls of one turn of the
 * event loop, so that one step of the storage serves all of them. A call waits for the end of the
 * turn, and never for a group that is under way: a row that is locked or a connection that is dead
 * delays only the calls of its own group. The busier the process, the longer its turns and the
 * larger its groups.
 */
export function inGroups<Call, Result>(
  grouping: Grouping<Call, Result>,
): (call: Call) => Promise<Result> {
  let waiting: Waiting<Call, Result>[] = []

  // setImmediate runs after all replies and requests that have arrived by now were given out
  const runWaiting = () => {
    let left = waiting
    waiting = []
    while (left.length > 0) {
      const { group, others } = firstGroup(left, grouping)
      left = others
      void runGroup(group, grouping)
    }
  }
  return (call) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setImmediate(runWaiting)
    })
}

function firstGroup<Call, Result>(
  waiting: readonly Waiting<Call, Result>[],
  { size, key }: Grouping<Call, Result>,
) {
  if (!key) return { group: waiting.slice(0, size), others: waiting.slice(size) }
  const group = new Map<string, Waiting<Call, Result>>()
  const others: Waiting<Call, Result>[] = []
  for (const each of waiting) {
    const own = key(each.call)
    if (group.size === size || group.has(own)) others.push(each)
    else group.set(own, each)
  }
  return { group: [...group.values()], others }
}

async function runGroup<Call, Result>(
  group: readonly Waiting<Call, Result>[],
  { alone, together, tookNoEffect }: Grouping<Call, Result>,
): Promise<void> {
  const eachAlone = () => {
    for (const { call, resolve } of group) resolve(alone(call))
  }
  if (group.length === 1) return eachAlone()
  try {
    const getResult = await together(group.map(({ call }) => call))
    for (const { call, resolve } of group) resolve(getResult(call))
  } catch (error) {
    if (tookNoEffect(error)) return eachAlone()
    for (const { reject } of group) reject(errorOfItsOwn(error))
  }
}

// Not the global one, which tests replace by fake timers. Nothing would ever resolve then.
import { setImmediate } from 'node:timers'
import type { SqlValue } from '../sql.ts'
import { errorOfItsOwn, StorageError } from '../storage-error.ts'
import type { RunStatement } from './statements.ts'

/** The model whose upserts go in groups. */
export const GROUPED_MODEL = 'SubjectToken'
/**
 * The largest group. Beyond it the cost of a call hardly falls, and a failure would affect more
 * calls.
 */
const MAX_GROUP_SIZE = 64

/** The values of one statement: the model, the id, and the rest. */
type Values = readonly SqlValue[]

interface Waiting {
  readonly values: Values
  resolve(count: number | Promise<number>): void
  reject(error: unknown): void
}

/**
 * Collects the upserts of one turn of the event loop, so that one statement stores all of them. A
 * call waits for the end of the turn, and never for a group that is under way. A locked row or a
 * dead connection delays only the calls of its own group.
 */
export function groupUpserts(run: RunStatement): (values: Values) => Promise<number> {
  let waiting: Waiting[] = []

  function runNext(): void {
    const group = new Map<unknown, Waiting>()
    const others: Waiting[] = []
    for (const each of waiting) {
      const [, id] = each.values
      // One statement cannot write a row twice.
      if (group.size === MAX_GROUP_SIZE || group.has(id)) others.push(each)
      else group.set(id, each)
    }
    waiting = others
    // Lets the process do other work before the next group.
    if (waiting.length > 0) setImmediate(runNext)
    void runGroup([...group.values()])
  }

  async function runGroup(group: readonly Waiting[]): Promise<void> {
    const alone = async (values: Values) => (await run('upsert', [...values])).count
    try {
      if (group.length > 1) {
        await run('upsertAll', [GROUPED_MODEL, ...columns(group.map(({ values }) => values))])
        for (const { resolve } of group) resolve(1)
        return
      }
    } catch (error) {
      if (!tookNoEffect(error)) {
        for (const { reject } of group) reject(errorOfItsOwn(error))
        return
      }
    }
    for (const { values, resolve } of group) resolve(alone(values))
  }

  return (values) =>
    new Promise((resolve, reject) => {
      // setImmediate runs after all replies and requests that have arrived by now were handled.
      if (waiting.push({ values, resolve, reject }) === 1) setImmediate(runNext)
    })
}

/** The values without the model, as one array for each column. */
function columns(group: readonly Values[]): SqlValue[][] {
  const [, ...names] = group[0] ?? []
  return names.map((_, at) => group.map((values) => values[at + 1] ?? null))
}

/**
 * Checks by SQLSTATE whether the statement was rolled back because of its data (22), a constraint
 * (23), a conflict of transactions (40), a limit (54) or the `lock_timeout` of a row (55P03).
 * 40003 leaves that open. A `statement_timeout` (57014) was rolled back as well, but a server that
 * is too slow for one statement gets no 64 more.
 */
function tookNoEffect(error: unknown): boolean {
  const code = error instanceof StorageError ? error.code : undefined
  return code !== undefined && /^((22|23|40|54)...|55P03)$/.test(code) && code !== '40003'
}

import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Adapter } from 'oidc-provider'
import { isDevelopmentAdapter } from '../host/instance.ts'
import { epochSeconds, limitTime } from '../shared/time.ts'
import {
  CASE_LIFE_SECONDS,
  type CaseAdapter,
  type EndingCaseAdapter,
  StorageProblem,
  storageCases,
} from './cases.ts'
import { type EndingMethods, hasCheck, hasConsumeOnce, hasEnding } from './contract.ts'

/** How long one call of the adapter may take, in milliseconds. */
const CALL_TIMEOUT_MS = 10_000

const CASES = storageCases({ callers: 20, rounds: 1 })

/** Consumes a record of an adapter that has no `consumeOnce`. */
type ConsumeInProcess = (id: string, expiresAt: number) => Promise<boolean>

/**
 * Tests the storage by each case that it has the methods for, on records of its own under random ids. It removes
 * the records in every case.
 *
 * @throws StorageProblem that says in one sentence what is wrong, with the storage's own error as `cause`
 */
export async function checkStorage(
  adapter: Adapter,
  consumeInProcess: ConsumeInProcess,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<void> {
  const single = limitCalls(adapter, consumeInProcess, timeoutMs)
  const ending = hasEnding(adapter) ? limitEnding(adapter, single, timeoutMs) : undefined
  const ids: string[] = []
  const trial = {
    factory: () => single,
    newId() {
      const id = randomBytes(32).toString('base64url')
      ids.push(id)
      return id
    },
    elapse: (seconds: number) => wait(seconds * 1000),
  }
  try {
    if (hasCheck(adapter)) await attempt('check()', timeoutMs, () => adapter.check(), messageOf)
    for (const each of CASES) {
      // oidc-provider's own keeps records longer, by the clockTolerance.
      if (each.isAboutExpiry && isDevelopmentAdapter(adapter)) continue
      if (!each.ending) await each.run(single, trial)
      else if (ending) await each.run(ending, trial)
    }
  } finally {
    // Ignore errors of the removal: the problem is already reported, and the records expire.
    await Promise.allSettled(ids.map((id) => single.destroy(id)))
  }
}

function limitCalls(
  adapter: Adapter,
  consumeInProcess: ConsumeInProcess,
  timeoutMs: number,
): CaseAdapter {
  return {
    upsert: (...args) => attempt('upsert()', timeoutMs, () => adapter.upsert(...args)),
    find: (id) => attempt('find()', timeoutMs, () => adapter.find(id)),
    destroy: (id) => attempt('destroy()', timeoutMs, () => adapter.destroy(id)),
    consumeOnce: (...args) =>
      attempt('consumeOnce()', timeoutMs, () =>
        hasConsumeOnce(adapter)
          ? adapter.consumeOnce(...args)
          : consumeInProcess(args[0], epochSeconds() + CASE_LIFE_SECONDS),
      ),
  }
}

function limitEnding(
  adapter: EndingMethods,
  single: CaseAdapter,
  timeoutMs: number,
): EndingCaseAdapter {
  return {
    ...single,
    list: (...args) => attempt('list()', timeoutMs, () => adapter.list(...args)),
    endOnce: (...args) => attempt('endOnce()', timeoutMs, () => adapter.endOnce(...args)),
    endedIndices: (list) => attempt('endedIndices()', timeoutMs, () => adapter.endedIndices(list)),
  }
}

/**
 * Calls the adapter; its error becomes the cause of a sentence.
 *
 * @param explain describes the failed operation, instead of the method's name
 */
async function attempt<T>(
  method: string,
  timeoutMs: number,
  call: () => Promise<T>,
  explain?: (error: unknown) => string | undefined,
): Promise<T> {
  try {
    // A method that is not async may throw.
    const answer = (async () => call())()
    return await limitTime(
      timeoutMs,
      answer,
      () => new StorageProblem(`${method} does not answer within ${timeoutMs} ms`),
    )
  } catch (cause) {
    if (cause instanceof StorageProblem) throw cause
    const sentence = unreachable(cause) ?? explain?.(cause)
    throw new StorageProblem(sentence ?? `${method} rejects for a SubjectToken record`, { cause })
  }
}

/** Node's codes for a storage that cannot be reached. */
function unreachable(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/.test(code)) {
    return undefined
  }
  return `it cannot be reached (${code})`
}

/** The error of an adapter's own check is a sentence already. */
function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message.replace(/\.$/, '') : undefined
}

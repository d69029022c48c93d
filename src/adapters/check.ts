import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Adapter } from 'oidc-provider'
import { isDevelopmentAdapter } from '../host/instance.ts'
import { epochSeconds, limitTime } from '../shared/time.ts'
import { CASE_LIFE_SECONDS, StorageProblem, storageCases } from './cases.ts'
import { hasCheck, hasConsumeOnce, hasEnding } from './contract.ts'

/** How long one call of the adapter may take, in milliseconds. */
const CALL_TIMEOUT_MS = 10_000

const CASES = storageCases({ callers: 20, rounds: 1 })

/**
 * Tests the storage by each case that it has the methods for, on records of its own under random ids. It removes
 * the records in every case.
 *
 * @param consumeInProcess consumes a record of an adapter that has no `consumeOnce`
 * @throws StorageProblem that says in one sentence what is wrong, with the storage's own error as `cause`
 */
export async function checkStorage(
  adapter: Adapter,
  consumeInProcess: (id: string, expiresAt: number) => Promise<boolean>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<void> {
  const limited = limitCalls(adapter, timeoutMs)
  const { upsert, find, destroy } = limited
  const consumeOnce = (id: string) => consumeInProcess(id, epochSeconds() + CASE_LIFE_SECONDS)
  const single = hasConsumeOnce(limited) ? limited : { upsert, find, destroy, consumeOnce }
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
    for (const { run } of CASES.single) await run(single, trial)
    if (hasEnding(limited)) for (const { run } of CASES.ending) await run(limited, trial)
    // oidc-provider's own keeps records longer, by the clockTolerance.
    if (!isDevelopmentAdapter(adapter)) await CASES.expiry.run(single, trial)
  } finally {
    // Ignore errors of the removal: the problem is already reported, and the records expire.
    await Promise.allSettled(ids.map((id) => destroy(id)))
  }
}

/** The adapter, each method of which may be called alone, and rejects with a sentence. */
function limitCalls(adapter: Adapter, timeoutMs: number): Adapter {
  return new Proxy(adapter, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        attempt(`${String(name)}()`, timeoutMs, async () => method.apply(target, args))
    },
  })
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
    return await limitTime(
      timeoutMs,
      call(),
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

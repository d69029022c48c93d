import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Adapter } from 'oidc-provider'
import { hasCheck, hasEnding } from '../../adapters/contract.ts'
import { isDevelopmentAdapter } from '../../host/instance.ts'
import { epochSeconds } from '../../shared/time.ts'
import { type ConsumeOnce, ConsumeOnceNotBoolean } from '../single-use.ts'
import { checkSeeingAndEnding } from './ending.ts'
import {
  type Attempt,
  attempts,
  CALLER_COUNT,
  PROBE_LIFE,
  probe,
  randomId,
  shown,
  wrong,
} from './probe.ts'

/** How long an expired record may still be found, in milliseconds: a storage may count in seconds. */
const EXPIRY_GRACE_MS = 3000
const POLL_MS = 100

/** How long one call of the adapter may take, in milliseconds. */
export const CHECK_TIMEOUT_MS = 10_000

/**
 * Tests the storage with every operation that a subject token needs, on two records of its own
 * under random ids, and on a third how impersonations are listed and ended where the adapter offers
 * that. It removes the records in every case.
 *
 * @throws Error whose message says in one sentence what is wrong, with the storage's own as `cause`
 */
export async function checkStorage(
  adapter: Adapter,
  consume: ConsumeOnce,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<void> {
  const [id, expiring, ending] = [randomId(), randomId(), randomId()]
  const attempt = attempts(timeoutMs)
  try {
    if (hasCheck(adapter)) {
      await attempt('check()', () => adapter.check(), describeError)
    }
    await checkWriting(adapter, attempt, id)
    // It expires while the other one is looked at.
    await attempt('upsert()', () => adapter.upsert(expiring, probe(expiring, 1), 1))
    const expiresAt = performance.now() + 1000
    await checkConsuming(adapter, consume, attempt, id)
    if (hasEnding(adapter)) await checkSeeingAndEnding(adapter, attempt, ending)
    await checkRemoving(adapter, attempt, id)
    // oidc-provider's own keeps records longer, by the clockTolerance.
    if (!isDevelopmentAdapter(adapter)) {
      await checkExpiry(adapter, consume, attempt, { id: expiring, expiresAt })
    }
  } finally {
    const removals = [id, expiring, ending].map((each) =>
      attempt('destroy()', () => adapter.destroy(each)),
    )
    // Ignore errors of the removal: the problem is already reported, and the records expire.
    await Promise.allSettled(removals)
  }
}

async function checkWriting(adapter: Adapter, attempt: Attempt, id: string): Promise<void> {
  const stored = probe(id, PROBE_LIFE)
  await attempt('upsert()', () => adapter.upsert(id, stored, PROBE_LIFE))
  const found = await attempt('find()', () => adapter.find(id))
  if (!found) {
    throw wrong(
      'find() does not find a SubjectToken record that upsert() has just stored: the adapter has to serve the model SubjectToken',
    )
  }
  if (found.consumed) throw wrong('find() says of a new record that it is consumed')
  for (const [member, value] of Object.entries(stored)) {
    if (isDeepStrictEqual(found[member], value)) continue
    throw wrong(
      `find() resolves ${member} as ${shown(found[member])} where upsert() was given ${shown(value)}`,
    )
  }
}

async function checkConsuming(
  adapter: Adapter,
  consume: ConsumeOnce,
  attempt: Attempt,
  id: string,
): Promise<void> {
  const expiresAt = epochSeconds() + PROBE_LIFE
  const consumeOnce = () => attempt('consumeOnce()', () => consume(id, expiresAt), notBoolean)
  const outcomes = await Promise.all(Array.from({ length: CALLER_COUNT }, consumeOnce))
  const winners = outcomes.filter(Boolean).length
  if (winners !== 1) {
    throw wrong(
      `consumeOnce() resolved true for ${winners} of ${CALLER_COUNT} callers at once, and it has to for exactly one`,
    )
  }
  const found = await attempt('find()', () => adapter.find(id))
  if (!found?.consumed) {
    throw wrong('find() does not resolve consumed for a record that consumeOnce() has consumed')
  }
  if (typeof found.consumed !== 'number') {
    throw wrong(`find() resolves consumed as ${shown(found.consumed)}, and it has to be a number`)
  }
  if (await consumeOnce()) throw wrong('consumeOnce() resolved true again for a consumed record')
  await attempt('upsert()', () => adapter.upsert(id, probe(id, PROBE_LIFE), PROBE_LIFE))
  if (await consumeOnce()) throw wrong('upsert() brings a consumed record back')
}

async function checkRemoving(adapter: Adapter, attempt: Attempt, id: string): Promise<void> {
  await attempt('destroy()', () => adapter.destroy(id))
  if (await attempt('find()', () => adapter.find(id))) {
    throw wrong('destroy() leaves the record where find() finds it')
  }
}

async function checkExpiry(
  adapter: Adapter,
  consume: ConsumeOnce,
  attempt: Attempt,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<void> {
  await wait(Math.max(0, expiresAt - performance.now()))
  const deadline = performance.now() + EXPIRY_GRACE_MS
  while (await attempt('find()', () => adapter.find(id))) {
    if (performance.now() > deadline) throw wrong('find() ignores that a record has expired')
    await wait(POLL_MS)
  }
  if (await attempt('consumeOnce()', () => consume(id, epochSeconds()))) {
    throw wrong('consumeOnce() ignores that a record has expired')
  }
}

/** The error of an adapter's own check is a sentence already. */
function describeError(error: unknown): string | undefined {
  return error instanceof Error ? error.message.replace(/\.$/, '') : undefined
}

function notBoolean(error: unknown): string | undefined {
  if (!(error instanceof ConsumeOnceNotBoolean)) return undefined
  return 'consumeOnce() has to resolve true or false, and resolved something else'
}

import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { hasCheck } from '../adapters/contract.ts'
import { isDevelopmentAdapter } from '../host/configuration.ts'
import { type ConsumeOnce, ConsumeOnceNotBoolean } from './single-use.ts'

/** How many calls consume the probe record at once. */
const CALLERS = 20
/** How long the probe record lives, in seconds, should it not be possible to remove it. */
const PROBE_LIFE = 60
/** How long an expired record may still be found, in milliseconds: a storage may count in seconds. */
const EXPIRY_GRACE_MS = 3000
const POLL_MS = 100

/** How long one call of the adapter may take, in milliseconds. */
export const PATIENCE_MS = 10_000

/**
 * Tests the storage with every operation that a subject token needs, on two records of its own
 * under random ids. It removes the records in every case.
 *
 * @throws Error whose message says in one sentence what is wrong, with the storage's own as `cause`
 */
export async function checkStorage(
  adapter: Adapter,
  claim: ConsumeOnce,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const [id, expiring] = [randomId(), randomId()]
  const attempt = attempts(patienceMs)
  try {
    if (hasCheck(adapter)) {
      await attempt('check()', () => adapter.check(), reasonOf)
    }
    await checkWriting(adapter, attempt, id)
    // It expires while the other one is looked at.
    await attempt('upsert()', () => adapter.upsert(expiring, probe(expiring, 1), 1))
    const expiresAt = performance.now() + 1000
    await checkClaiming(adapter, claim, attempt, id)
    await checkRemoving(adapter, attempt, id)
    // oidc-provider's own keeps records longer, by the clockTolerance.
    if (!isDevelopmentAdapter(adapter)) {
      await checkExpiry(adapter, claim, attempt, { id: expiring, expiresAt })
    }
  } finally {
    const removals = [id, expiring].map((each) => attempt('destroy()', () => adapter.destroy(each)))
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

async function checkClaiming(
  adapter: Adapter,
  claim: ConsumeOnce,
  attempt: Attempt,
  id: string,
): Promise<void> {
  const expiresAt = epochSeconds() + PROBE_LIFE
  const claimOnce = () => attempt('consumeOnce()', () => claim(id, expiresAt), notBoolean)
  const outcomes = await Promise.all(Array.from({ length: CALLERS }, claimOnce))
  const winners = outcomes.filter(Boolean).length
  if (winners !== 1) {
    throw wrong(
      `consumeOnce() resolved true for ${winners} of ${CALLERS} callers at once, and it has to for exactly one`,
    )
  }
  const found = await attempt('find()', () => adapter.find(id))
  if (!found?.consumed) {
    throw wrong('find() does not resolve consumed for a record that consumeOnce() has consumed')
  }
  if (typeof found.consumed !== 'number') {
    throw wrong(`find() resolves consumed as ${shown(found.consumed)}, and it has to be a number`)
  }
  if (await claimOnce()) throw wrong('consumeOnce() resolved true again for a consumed record')
  await attempt('upsert()', () => adapter.upsert(id, probe(id, PROBE_LIFE), PROBE_LIFE))
  if (await claimOnce()) throw wrong('upsert() brings a consumed record back')
}

async function checkRemoving(adapter: Adapter, attempt: Attempt, id: string): Promise<void> {
  await attempt('destroy()', () => adapter.destroy(id))
  if (await attempt('find()', () => adapter.find(id))) {
    throw wrong('destroy() leaves the record where find() finds it')
  }
}

async function checkExpiry(
  adapter: Adapter,
  claim: ConsumeOnce,
  attempt: Attempt,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<void> {
  await wait(Math.max(0, expiresAt - performance.now()))
  const deadline = performance.now() + EXPIRY_GRACE_MS
  while (await attempt('find()', () => adapter.find(id))) {
    if (performance.now() > deadline) throw wrong('find() ignores that a record has expired')
    await wait(POLL_MS)
  }
  if (await attempt('consumeOnce()', () => claim(id, epochSeconds()))) {
    throw wrong('consumeOnce() ignores that a record has expired')
  }
}

/**
 * A record in the form of a subject token's. No token value maps to it, so it can never be
 * redeemed.
 */
function probe(id: string, expiresIn: number): AdapterPayload {
  return {
    iat: epochSeconds(),
    exp: epochSeconds() + expiresIn,
    jti: id,
    kind: 'SubjectToken',
    iss: 'https://storage-check.invalid',
    accountId: 'storage-check',
    clientId: 'storage-check',
    context: '{"ticketId":"storage-check"}',
    binding: '{"mayAct":{"sub":"storage-check"}}',
  }
}

type Attempt = <T>(
  method: string,
  call: () => Promise<T>,
  /** Describes the failed operation in an error, instead of the method's name. */
  explain?: (error: unknown) => string | undefined,
) => Promise<T>

/** Calls the adapter; what it rejects with becomes the cause of a sentence. */
function attempts(patienceMs: number): Attempt {
  return async (method, call, explain) => {
    const patience = new AbortController()
    const tooLate = wait(patienceMs, undefined, { signal: patience.signal }).then(() => {
      throw wrong(`${method} does not answer within ${patienceMs} ms`)
    })
    try {
      return await Promise.race([call(), tooLate])
    } catch (error) {
      if (error instanceof StorageProblem) throw error
      const said = unreachable(error) ?? explain?.(error)
      throw wrong(said ?? `${method} rejects for a SubjectToken record`, error)
    } finally {
      tooLate.catch(() => {})
      patience.abort()
    }
  }
}

/** The error of an adapter's own check is a sentence already. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message.replace(/\.$/, '') : undefined
}

function notBoolean(error: unknown): string | undefined {
  if (!(error instanceof ConsumeOnceNotBoolean)) return undefined
  return 'consumeOnce() has to resolve true or false, and resolved something else'
}

/**
 * Node's codes for a storage that cannot be reached; AggregateError for a host name with several
 * addresses.
 */
function unreachable(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/.test(code)) {
    return undefined
  }
  return `it cannot be reached (${code})`
}

class StorageProblem extends Error {}

function wrong(sentence: string, cause?: unknown): Error {
  const message = `The storage adapter cannot keep subject tokens: ${sentence}.`
  return new StorageProblem(message, ...(cause === undefined ? [] : [{ cause }]))
}

function shown(value: unknown): string {
  return `${typeof value} ${inspect(value)}`
}

function randomId(): string {
  return randomBytes(32).toString('base64url')
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

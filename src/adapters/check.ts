import { randomBytes } from 'node:crypto'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { epochSeconds, limitTime } from '../shared/time.ts'
import { type EndingAdapter, hasCheck, hasConsumeOnce, hasEnding } from './contract.ts'

/** The timeout of one call of the adapter, in milliseconds. */
const CALL_TIMEOUT_MS = 10_000
/** The lifetime of the record, in seconds, in case it cannot be removed. */
const LIFE_SECONDS = 60
/** The number of calls at once, of which one may win. */
const CALLERS = 20
/** The index of the record in its status list. */
const STATUS_INDEX = 7

/** The fault, in one sentence. */
class StorageProblem extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(`The storage adapter cannot keep subject tokens: ${sentence}.`, options)
  }
}

function need(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new StorageProblem(sentence)
}

/**
 * Stores a record of its own under a random id, lets many consume it at once, lists and ends it,
 * and removes it in every case. The contract suite has many more cases.
 *
 * @param consumeInProcess - consumes a record of an adapter that has no `consumeOnce`
 * @throws StorageProblem with the fault in one sentence, and the storage's own error as `cause`
 */
export async function checkStorage(
  adapter: Adapter,
  consumeInProcess: (id: string) => Promise<boolean>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<void> {
  const limited = limitCalls(adapter, timeoutMs)
  const id = randomKey()
  const consume = () => (hasConsumeOnce(limited) ? limited.consumeOnce(id) : consumeInProcess(id))
  try {
    if (hasCheck(adapter)) await attempt('check()', timeoutMs, () => adapter.check())
    const stored = record(id)
    await store(limited, id, stored)
    await requireOneWinner('consumeOnce', consume)
    const consumed: unknown = (await limited.find(id))?.consumed
    need(
      typeof consumed === 'number' && consumed > 0,
      `find() resolves consumed as ${shown(consumed)} for a record that was consumed, and it has to be a number`,
    )
    if (hasEnding(limited)) await listAndEnd(limited, id, stored)
    await limited.destroy(id)
    need(!(await limited.find(id)), 'destroy() leaves the record where find() finds it')
  } finally {
    // Ignore an error of the removal: the problem is already reported, and the record expires.
    await limited.destroy(id).catch(() => {})
  }
}

/**
 * A record in the form of a subject token's. No token value maps to it, so it can never be
 * redeemed.
 */
function record(id: string) {
  const now = epochSeconds()
  return {
    iat: now,
    exp: now + LIFE_SECONDS,
    jti: id,
    kind: 'SubjectToken',
    iss: 'https://storage-check.invalid',
    accountId: randomKey(),
    clientId: 'storage-check',
    context: '{"ticketId":"storage-check"}',
    binding: '{"mayAct":{"sub":"storage-check"}}',
    statusList: randomKey(),
    statusIndex: STATUS_INDEX,
  }
}

/** A random key, so that a look-up by it never meets another record. */
function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

async function store(adapter: Adapter, id: string, stored: AdapterPayload): Promise<void> {
  await adapter.upsert(id, stored, LIFE_SECONDS)
  const found = await adapter.find(id)
  need(
    found,
    'find() does not find a SubjectToken record that upsert() has just stored: the adapter has to serve the model SubjectToken',
  )
  need(!found.consumed, 'find() says of a new record that it is consumed')
  for (const [member, value] of Object.entries(stored)) {
    need(
      isDeepStrictEqual(found[member], value),
      `find() resolves ${member} as ${shown(found[member])} where upsert() was given ${shown(value)}`,
    )
  }
}

async function listAndEnd(
  adapter: EndingAdapter,
  id: string,
  { accountId, statusList }: ReturnType<typeof record>,
): Promise<void> {
  const listed = await adapter.list({ accountId }, 10)
  need(
    listed.length === 1 && listed[0]?.jti === id,
    'list() does not resolve a record once that upsert() has stored',
  )
  await requireOneWinner('endOnce', () => adapter.endOnce(id, { by: 'storage-check' }))
  need(
    isDeepStrictEqual((await adapter.find(id))?.end, { by: 'storage-check' }),
    'find() does not resolve the end that endOnce() was given',
  )
  const indices = await adapter.endedIndices(statusList)
  need(
    isDeepStrictEqual(indices, [STATUS_INDEX]),
    `endedIndices() resolves ${shown(indices)} for a list in which ${STATUS_INDEX} has ended`,
  )
}

async function requireOneWinner(method: string, call: () => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.all(Array.from({ length: CALLERS }, call))
  need(
    outcomes.every((outcome) => typeof outcome === 'boolean'),
    `${method}() has to resolve true or false, and resolved something else`,
  )
  const winners = outcomes.filter(Boolean).length
  need(
    winners === 1,
    `${method}() resolved true for ${winners} of ${CALLERS} callers at once, and it has to for exactly one`,
  )
}

function shown(value: unknown): string {
  return `${typeof value} ${inspect(value)}`
}

/** Adds a time-out and a readable error to every method. */
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

/** Calls the adapter. Its error becomes the cause of a sentence. */
async function attempt<T>(method: string, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  try {
    return await limitTime(
      timeoutMs,
      call(),
      () => new StorageProblem(`${method} does not answer within ${timeoutMs} ms`),
    )
  } catch (cause) {
    if (cause instanceof StorageProblem) throw cause
    throw new StorageProblem(explain(method, cause), { cause })
  }
}

/** Node's codes for a storage that cannot be reached. */
const UNREACHABLE = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/

function explain(method: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (UNREACHABLE.test(code)) return `it cannot be reached (${code})`
  // The error of an adapter's own check is a sentence already.
  if (method === 'check()' && error instanceof Error) return error.message.replace(/\.$/, '')
  return `${method} rejects for a SubjectToken record`
}

import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { epochSeconds } from '../shared/time.ts'
import type { EndingMethods, SingleUseAdapter } from './contract.ts'

/** How long a record of a case lives, in seconds, should it not be possible to remove it. */
export const CASE_LIFE_SECONDS = 60
/** How long an expired record may still be found, in milliseconds: a storage may count in seconds. */
const EXPIRY_GRACE_MS = 3000
const POLL_MS = 100
/** The actor that a record is bound to, and its index in a status list. */
const BOUND_ACTOR = 'storage-check'
const STATUS_INDEX = 7

/** The methods of an adapter that cases call. */
export type CaseAdapter = Pick<Adapter, 'destroy' | 'find' | 'upsert'> &
  Pick<SingleUseAdapter, 'consumeOnce'>

export type EndingCaseAdapter = CaseAdapter &
  Pick<EndingMethods, 'endedIndices' | 'endOnce' | 'list'>

/** What a case gets to work with. */
export interface CaseTrial {
  /** Makes an adapter of the same storage. */
  factory(model: string): CaseAdapter
  /** An id for a record, which is destroyed afterwards. */
  newId(): string
  /** Lets at least that much time pass for the storage. */
  elapse(seconds: number): Promise<void>
}

/** One thing that an adapter of the model `SubjectToken` has to do. `run` throws a StorageProblem. */
export interface StorageCase<A extends CaseAdapter> {
  readonly title: string
  run(adapter: A, trial: CaseTrial): Promise<void>
}

/** How hard a case tries. */
export interface CaseEffort {
  /** How many call at once where one may win. */
  readonly callers: number
  /** How often. */
  readonly rounds: number
}

/** Says in one sentence what is wrong. */
export class StorageProblem extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(`The storage adapter cannot keep subject tokens: ${sentence}.`, options)
  }
}

function need(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new StorageProblem(sentence)
}

/** What `provider.impersonation.check()` tests; the contract suite has these cases, too, and many more. */
export function storageCases({ callers, rounds }: CaseEffort) {
  const single: StorageCase<CaseAdapter>[] = [
    { title: 'stores, finds and destroys', run: storeAndDestroy },
    {
      title: `gives a record to exactly one of ${callers} callers at once, for ever`,
      async run(adapter, trial) {
        for (let round = 0; round < rounds; round += 1) await consume(adapter, trial, callers)
      },
    },
  ]
  /** About `EndingMethods`. */
  const ending: StorageCase<EndingCaseAdapter>[] = [
    { title: 'lists a record by the actor of its note', run: listByActor },
    {
      title: `ends a record for exactly one of ${callers} callers at once, consumed or not`,
      async run(adapter, trial) {
        for (let round = 0; round < rounds; round += 1) {
          await end(adapter, trial, callers, round % 2 === 0)
        }
      },
    },
    { title: 'never consumes a record that has ended', run: endAndConsume },
  ]
  const expiry: StorageCase<CaseAdapter> = {
    title: 'forgets a record once its time is over',
    run: expire,
  }
  return { single, ending, expiry }
}

/** A record in the form of a subject token's. No token value maps to it, so it can never be redeemed. */
function record(id: string, expiresIn = CASE_LIFE_SECONDS): AdapterPayload {
  const now = epochSeconds()
  return {
    iat: now,
    exp: now + expiresIn,
    jti: id,
    kind: 'SubjectToken',
    iss: 'https://storage-check.invalid',
    accountId: 'storage-check',
    clientId: 'storage-check',
    context: '{"ticketId":"storage-check"}',
    binding: '{"mayAct":{"sub":"storage-check"}}',
  }
}

/** It is random, so that a look-up by it never meets a record of someone else. */
function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

async function storeAndDestroy(adapter: CaseAdapter, { newId }: CaseTrial): Promise<void> {
  const id = newId()
  const stored = record(id)
  await adapter.upsert(id, stored, CASE_LIFE_SECONDS)
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
  await adapter.destroy(id)
  need(!(await adapter.find(id)), 'destroy() leaves the record where find() finds it')
}

async function consume(
  adapter: CaseAdapter,
  { factory, newId }: CaseTrial,
  callers: number,
): Promise<void> {
  const id = newId()
  await adapter.upsert(id, record(id), CASE_LIFE_SECONDS)
  await requireOneWinner('consumeOnce', callers, () => factory('SubjectToken').consumeOnce(id))
  const consumed: unknown = (await adapter.find(id))?.consumed
  need(consumed, 'find() does not resolve consumed for a record that consumeOnce() has consumed')
  need(
    typeof consumed === 'number',
    `find() resolves consumed as ${shown(consumed)}, and it has to be a number`,
  )
  need(!(await adapter.consumeOnce(id)), 'consumeOnce() resolved true again for a consumed record')
  await adapter.upsert(id, record(id), CASE_LIFE_SECONDS)
  need(!(await adapter.consumeOnce(id)), 'upsert() brings a consumed record back')
}

async function listByActor(adapter: EndingCaseAdapter, { newId }: CaseTrial): Promise<void> {
  const id = newId()
  const [accountId, operator] = [randomKey(), randomKey()]
  const stored = { ...record(id), accountId, actor: BOUND_ACTOR }
  await adapter.upsert(id, stored, CASE_LIFE_SECONDS)
  const isListedBy = async (actor: string) =>
    (await adapter.list({ accountId, actor }, 10)).filter(({ jti }) => jti === id).length === 1
  need(
    await isListedBy(BOUND_ACTOR),
    'list() does not resolve a record once that upsert() has just stored',
  )
  const note = { actor: operator }
  await adapter.consumeOnce(id, note)
  const noted: unknown = (await adapter.find(id))?.note
  need(
    isDeepStrictEqual(noted, note),
    `find() resolves note as ${shown(noted)} where consumeOnce() was given one`,
  )
  need(
    (await isListedBy(operator)) && !(await isListedBy(BOUND_ACTOR)),
    'list() does not look up a consumed record by the actor of its note',
  )
}

async function end(
  adapter: EndingCaseAdapter,
  { newId }: CaseTrial,
  callers: number,
  isConsumed: boolean,
): Promise<void> {
  const id = newId()
  const statusList = randomKey()
  const stored = { ...record(id), accountId: randomKey(), statusList, statusIndex: STATUS_INDEX }
  await adapter.upsert(id, stored, CASE_LIFE_SECONDS)
  if (isConsumed) await adapter.consumeOnce(id, { actor: 'storage-check' })
  const winner = await requireOneWinner('endOnce', callers, (by) => adapter.endOnce(id, { by }))
  need(
    !(await adapter.endOnce(id, { by: 'afterwards' })),
    'endOnce() resolved true again for a record that has ended',
  )
  need(
    isDeepStrictEqual((await adapter.find(id))?.end, { by: winner }),
    'find() does not resolve the end of the caller to whom endOnce() resolved true',
  )
  const indices = await adapter.endedIndices(statusList)
  need(
    isDeepStrictEqual(indices, [STATUS_INDEX]),
    `endedIndices() resolves ${shown(indices)} for a list in which ${STATUS_INDEX} has ended`,
  )
}

/** A record that was never consumed: its end alone has to keep it from being so. */
async function endAndConsume(adapter: EndingCaseAdapter, { newId }: CaseTrial): Promise<void> {
  const id = newId()
  await adapter.upsert(id, record(id), CASE_LIFE_SECONDS)
  await adapter.endOnce(id, { by: 'storage-check' })
  need(!(await adapter.consumeOnce(id)), 'consumeOnce() resolved true for a record that has ended')
}

async function expire(adapter: CaseAdapter, { elapse, newId }: CaseTrial): Promise<void> {
  const id = newId()
  await adapter.upsert(id, record(id, 1), 1)
  await elapse(1)
  const deadline = performance.now() + EXPIRY_GRACE_MS
  while (await adapter.find(id)) {
    need(performance.now() <= deadline, 'find() ignores that a record has expired')
    await wait(POLL_MS)
  }
  need(!(await adapter.consumeOnce(id)), 'consumeOnce() ignores that a record has expired')
}

/** @returns the number of the caller that won */
async function requireOneWinner(
  method: 'consumeOnce' | 'endOnce',
  callers: number,
  call: (caller: number) => Promise<unknown>,
): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  need(
    outcomes.every((outcome) => typeof outcome === 'boolean'),
    `${method}() has to resolve true or false, and resolved something else`,
  )
  const winners = outcomes.filter(Boolean).length
  need(
    winners === 1,
    `${method}() resolved true for ${winners} of ${callers} callers at once, and it has to for exactly one`,
  )
  return outcomes.indexOf(true)
}

function shown(value: unknown): string {
  return `${typeof value} ${inspect(value)}`
}

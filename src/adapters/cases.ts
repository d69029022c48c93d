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
export type StorageCase = {
  readonly title: string
  readonly isAboutExpiry?: true
} & (
  | { readonly ending?: undefined; run(adapter: CaseAdapter, trial: CaseTrial): Promise<void> }
  | { readonly ending: true; run(adapter: EndingCaseAdapter, trial: CaseTrial): Promise<void> }
)

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

/** What `provider.impersonation.check()` tests; the contract suite has these cases, too, and many more. */
export function storageCases({ callers, rounds }: CaseEffort): readonly StorageCase[] {
  return [
    { title: 'stores, finds and destroys', run: storeAndDestroy },
    {
      title: `gives a record to exactly one of ${callers} callers at once, for ever`,
      async run(adapter, trial) {
        for (let round = 0; round < rounds; round += 1) await consume(adapter, trial, callers)
      },
    },
    { title: 'lists a record by the actor of its note', ending: true, run: listByActor },
    {
      title: `ends a record for exactly one of ${callers} callers at once, consumed or not`,
      ending: true,
      async run(adapter, trial) {
        for (let round = 0; round < rounds; round += 1) {
          await end(adapter, trial, callers, round % 2 === 0)
        }
      },
    },
    { title: 'never consumes a record that has ended', ending: true, run: endAndConsume },
    { title: 'forgets a record once its time is over', isAboutExpiry: true, run: expire },
  ]
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
  if (!found) {
    throw new StorageProblem(
      'find() does not find a SubjectToken record that upsert() has just stored: the adapter has to serve the model SubjectToken',
    )
  }
  if (found.consumed) throw new StorageProblem('find() says of a new record that it is consumed')
  for (const [member, value] of Object.entries(stored)) {
    if (isDeepStrictEqual(found[member], value)) continue
    throw new StorageProblem(
      `find() resolves ${member} as ${shown(found[member])} where upsert() was given ${shown(value)}`,
    )
  }
  await adapter.destroy(id)
  if (await adapter.find(id)) {
    throw new StorageProblem('destroy() leaves the record where find() finds it')
  }
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
  if (!consumed) {
    throw new StorageProblem(
      'find() does not resolve consumed for a record that consumeOnce() has consumed',
    )
  }
  if (typeof consumed !== 'number') {
    throw new StorageProblem(
      `find() resolves consumed as ${shown(consumed)}, and it has to be a number`,
    )
  }
  if (await adapter.consumeOnce(id)) {
    throw new StorageProblem('consumeOnce() resolved true again for a consumed record')
  }
  await adapter.upsert(id, record(id), CASE_LIFE_SECONDS)
  if (await adapter.consumeOnce(id)) {
    throw new StorageProblem('upsert() brings a consumed record back')
  }
}

async function listByActor(adapter: EndingCaseAdapter, { newId }: CaseTrial): Promise<void> {
  const id = newId()
  const [accountId, operator] = [randomKey(), randomKey()]
  const stored = { ...record(id), accountId, actor: BOUND_ACTOR }
  await adapter.upsert(id, stored, CASE_LIFE_SECONDS)
  const isListedBy = async (actor: string) =>
    (await adapter.list({ accountId, actor }, 10)).filter(({ jti }) => jti === id).length === 1
  if (!(await isListedBy(BOUND_ACTOR))) {
    throw new StorageProblem('list() does not resolve a record once that upsert() has just stored')
  }
  const note = { actor: operator }
  await adapter.consumeOnce(id, note)
  const noted: unknown = (await adapter.find(id))?.note
  if (!isDeepStrictEqual(noted, note)) {
    throw new StorageProblem(
      `find() resolves note as ${shown(noted)} where consumeOnce() was given one`,
    )
  }
  if (!(await isListedBy(operator)) || (await isListedBy(BOUND_ACTOR))) {
    throw new StorageProblem('list() does not look up a consumed record by the actor of its note')
  }
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
  if (await adapter.endOnce(id, { by: 'afterwards' })) {
    throw new StorageProblem('endOnce() resolved true again for a record that has ended')
  }
  if (!isDeepStrictEqual((await adapter.find(id))?.end, { by: winner })) {
    throw new StorageProblem(
      'find() does not resolve the end of the caller to whom endOnce() resolved true',
    )
  }
  const indices = await adapter.endedIndices(statusList)
  if (!isDeepStrictEqual(indices, [STATUS_INDEX])) {
    throw new StorageProblem(
      `endedIndices() resolves ${shown(indices)} for a list in which ${STATUS_INDEX} has ended`,
    )
  }
}

/** A record that was never consumed: its end alone has to keep it from being so. */
async function endAndConsume(adapter: EndingCaseAdapter, { newId }: CaseTrial): Promise<void> {
  const id = newId()
  await adapter.upsert(id, record(id), CASE_LIFE_SECONDS)
  await adapter.endOnce(id, { by: 'storage-check' })
  if (await adapter.consumeOnce(id)) {
    throw new StorageProblem('consumeOnce() resolved true for a record that has ended')
  }
}

async function expire(adapter: CaseAdapter, { elapse, newId }: CaseTrial): Promise<void> {
  const id = newId()
  await adapter.upsert(id, record(id, 1), 1)
  await elapse(1)
  const deadline = performance.now() + EXPIRY_GRACE_MS
  while (await adapter.find(id)) {
    if (performance.now() > deadline) {
      throw new StorageProblem('find() ignores that a record has expired')
    }
    await wait(POLL_MS)
  }
  if (await adapter.consumeOnce(id)) {
    throw new StorageProblem('consumeOnce() ignores that a record has expired')
  }
}

/** @returns the number of the caller that won */
async function requireOneWinner(
  method: 'consumeOnce' | 'endOnce',
  callers: number,
  call: (caller: number) => Promise<unknown>,
): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  if (!outcomes.every((outcome) => typeof outcome === 'boolean')) {
    throw new StorageProblem(
      `${method}() has to resolve true or false, and resolved something else`,
    )
  }
  const winners = outcomes.filter(Boolean).length
  if (winners === 1) return outcomes.indexOf(true)
  throw new StorageProblem(
    `${method}() resolved true for ${winners} of ${callers} callers at once, and it has to for exactly one`,
  )
}

function shown(value: unknown): string {
  return `${typeof value} ${inspect(value)}`
}

import { randomBytes } from 'node:crypto'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { hasEnding } from '../adapters/contract.ts'
import { emit } from '../events/emit.ts'
import { instance, requireEnding } from '../host/weak-cache.ts'
import type { ImpersonationEvent } from '../public/events.ts'
import type { EndOptions, Impersonation, ImpersonationFilter } from '../public/objects.ts'
import { present } from '../shared/json.ts'
import { epochSeconds } from '../shared/time.ts'
import type { StoredEnd, SubjectToken } from '../tokens/subject-token.ts'
import {
  describeEnded,
  describeImpersonation,
  isOver,
  listPages,
  lookUpOf,
  matcherFor,
  PAGE_SIZE,
  shownEnd,
} from './list.ts'

/** The number of ends at once. */
const AT_ONCE = 16
/** The number of attempts with unknown outcome that are remembered. */
export const MAX_UNSURE_IDS = 10_000

/** The options of one call, and its request. */
interface EndCall {
  readonly how: EndOptions
  readonly ctx?: KoaContextWithOIDC | undefined
}

/** A call that is under way. */
interface Ending extends EndCall {
  /** Resolves when every end so far is recorded, or its time is over. */
  recorded: Promise<void>
}

/** The outcome of one end. */
interface Outcome {
  /** `true` if this end is the one that counts. */
  readonly isFirst: boolean
  /** The state afterwards; `undefined` if it is gone. */
  readonly token: SubjectToken | undefined
}

/**
 * Ends one impersonation. The first end stays. If it has expired, it is ended as long as a guard
 * may accept its token. Settles when its end is recorded, or the time for that is over (nothing
 * acts before it is recorded, I13).
 *
 * @returns the token afterwards; `undefined` if there is none
 * @throws the storage's error: trouble never reads as *not found*
 */
export async function endImpersonation(
  provider: Provider,
  id: string,
  how: EndOptions,
  ctx?: KoaContextWithOIDC,
): Promise<Impersonation | undefined> {
  requireEnding(provider)
  const found = await instance(provider).subjectTokens.findById(id)
  if (!found) return undefined
  const { token } = await untilRecorded({ how, ctx }, (ending) => settle(provider, found, ending))
  return token && describeImpersonation(token)
}

/**
 * Ends all that match at this moment. If the storage fails in the middle, the ends so far stay,
 * and a repetition ends the rest. Settles when its ends are recorded, or the time for that is over
 * (nothing acts before it is recorded, I13).
 *
 * @param only - a further condition
 * @returns the number that this call ended
 */
export async function endMatching(
  provider: Provider,
  filter: ImpersonationFilter,
  { only = () => true, ...call }: EndCall & { readonly only?: (token: SubjectToken) => boolean },
): Promise<number> {
  const isMeant = matcherFor(filter)
  const { subjectTokens: tokens } = instance(provider)
  return untilRecorded(call, async (ending) => {
    let count = 0
    for await (const records of listPages(provider, lookUpOf(filter), PAGE_SIZE)) {
      const meant = records
        .flatMap((record) => tokens.fromRecord(record) ?? [])
        .filter((token) => isMeant(token) && only(token))
      for (let from = 0; from < meant.length; from += AT_ONCE) {
        const batch = meant.slice(from, from + AT_ONCE)
        const outcomes = await Promise.allSettled(
          batch.map((token) => settle(provider, token, ending)),
        )
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') throw outcome.reason
          if (outcome.value.isFirst) count += 1
        }
      }
    }
    return count
  })
}

/** Runs the ends, and waits until they are recorded, also if it fails in the middle. */
async function untilRecorded<T>(call: EndCall, run: (ending: Ending) => Promise<T>): Promise<T> {
  const ending: Ending = { ...call, recorded: Promise.resolve() }
  try {
    return await run(ending)
  } finally {
    await ending.recorded
  }
}

function notify(
  provider: Provider,
  ending: Ending,
  facts: () => Partial<ImpersonationEvent>,
): void {
  const recorded = emit(provider, 'impersonation.ended', ending.ctx, facts)
  // Chained by `then`, which keeps nothing of the earlier ends. The result of `Promise.all` would
  // hold all of them.
  ending.recorded = ending.recorded.then(() => recorded)
}

/** Stores one end, and emits its event if it is the first. */
async function settle(provider: Provider, token: SubjectToken, ending: Ending): Promise<Outcome> {
  if (isOver(token)) return { isFirst: false, token }
  const { findById } = instance(provider).subjectTokens
  const end = newEnd(ending.how)
  // An ended impersonation as well, so that the storage repairs the lost parts of that end (what
  // can act can be ended, I14).
  if (await storeEnd(provider, token.jti, end)) {
    // It may have been redeemed since it was read.
    const isSettled = token.consumed !== undefined && token.note !== undefined
    const again = isSettled ? undefined : await findById(token.jti).catch(() => undefined)
    const ended = again ?? Object.assign(token, { end })
    notify(provider, ending, () => ({ ...describeEnded(ended), end: shownEnd(end) }))
    return { isFirst: true, token: ended }
  }
  // No end goes unrecorded (I13): an attempt of this process turned out to be the first end. Its
  // event is due.
  const attempt = token.end?.attempt
  if (attempt !== undefined && instance(provider).unsureEnds.delete(attempt)) {
    notify(provider, ending, () => describeEnded(token))
    return { isFirst: true, token }
  }
  return { isFirst: false, token: token.end ? token : await findById(token.jti) }
}

/** An end with the id of its attempt, which no other end has. */
type EndAttempt = StoredEnd & { readonly attempt: string }

/** The end to store for a call now. */
function newEnd({ by, cause = 'requested', reason }: EndOptions): EndAttempt {
  return {
    at: epochSeconds(),
    ...present({ by: by && { sub: by.sub }, cause, reason }),
    attempt: randomBytes(9).toString('base64url'),
  }
}

/**
 * Ends the record. If the reply was lost, it tries once more, and the record shows whether this
 * attempt was the first end. The record alone is not enough, because it may read as ended while
 * the index is not stored (what can act can be ended, I14).
 *
 * @throws the storage's error if neither is known. The attempt is remembered then.
 */
async function storeEnd(provider: Provider, id: string, end: EndAttempt): Promise<boolean> {
  const ask = async () => {
    const won: unknown = await requireEnding(provider).endOnce(id, { ...end })
    if (typeof won === 'boolean') return won
    throw new TypeError('endOnce() of the storage adapter must resolve true or false')
  }
  try {
    return await ask()
  } catch (error) {
    const won = await ask().catch(() => undefined)
    if (won === true) return true
    const look = won === false && instance(provider).subjectTokens.findById(id)
    const stored = await Promise.resolve(look).catch(() => undefined)
    const attempt = stored ? stored.end?.attempt : undefined
    if (attempt !== undefined) return attempt === end.attempt
    instance(provider).unsureEnds.set(end.attempt, true)
    throw error
  }
}

/** Causes of ends after the request that led to them. */
const ENDED_LATER = {
  /** Its subject token was presented again. */
  replay: { cause: 'replay' },
  nothingIssued: { cause: 'policy', reason: 'redeemed, and nothing was issued' },
  notRecorded: { cause: 'policy', reason: 'the audit did not store it in time' },
} as const

/**
 * Ends one impersonation after this returns, with retries. Does nothing if impersonations cannot
 * be ended.
 */
export function endLater(provider: Provider, id: string, why: keyof typeof ENDED_LATER): void {
  if (!instance(provider).ending) return
  if (why === 'replay' && instance(provider).options.ending.onReplay !== 'end') return
  instance(provider).endings(id, () => endImpersonation(provider, id, ENDED_LATER[why]))
}

/**
 * Checks whether an impersonation has ended. What can act can be ended (I14), so it checks with
 * `ending.enabled: false` as well, if the storage can have an end. Another process on the same
 * store may end impersonations, or this process may have done so before. If they can be ended
 * here, an impersonation whose record is gone has ended, too, because the storage has lost data.
 */
export async function hasEnded(provider: Provider, id: string): Promise<boolean> {
  const { subjectTokens, ending } = instance(provider)
  if (!hasEnding(subjectTokens.adapter)) return false
  const impersonation = await subjectTokens.findById(id)
  if (impersonation) return impersonation.end !== undefined
  return ending !== undefined
}

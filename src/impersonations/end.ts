import { randomBytes } from 'node:crypto'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { hasEnding } from '../adapters/contract.ts'
import { emitEnd } from '../events/trail.ts'
import { slot } from '../host/slot.ts'
import { optionsOf } from '../options/defaults.ts'
import type { ImpersonationEvent } from '../public/events.ts'
import type { EndOptions, Impersonation, ImpersonationFilter } from '../public/objects.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { present } from '../shared/json.ts'
import { epochSeconds } from '../shared/time.ts'
import {
  endingAdapterOf,
  type StoredEnd,
  type SubjectToken,
  subjectTokensOf,
} from '../tokens/subject-token.ts'
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
import { endingsOf } from './retry.ts'

/** How many are ended at once. */
const AT_ONCE = 16
/** How many attempts are remembered whose outcome is not known. */
const MAX_UNSURE_IDS = 10_000

/** Attempts of which the storage did not say whether they were the one. */
const unsureOf = slot(
  'the ends whose outcome is not known',
  () => new BoundedMap<string, true>(MAX_UNSURE_IDS),
)

/** How one call ends, and in which request. */
interface EndCall {
  readonly how: EndOptions
  readonly ctx?: KoaContextWithOIDC | undefined
}

/** A call that is under way. */
interface Ending extends EndCall {
  /** Resolves when every end so far is recorded, or its time is over. */
  recorded: Promise<void>
}

/** What came of the end of one. */
interface EndedOne {
  /** Whether this end is the one that counts. */
  readonly isFirst: boolean
  /** As it is afterwards; `undefined` where it is gone. */
  readonly token: SubjectToken | undefined
}

/**
 * Ends one, and what runs through it: what was begun with its access token as the actor token. The
 * first end stays. One that has expired is ended as long as a guard may accept its token. Settles
 * when its ends are recorded, or their time is over (nothing acts before it is recorded, I13).
 *
 * @returns it, as it is afterwards; `undefined` where there is none
 * @throws the storage's error: trouble never reads as *not found* (I5)
 */
export async function endImpersonation(
  provider: Provider,
  id: string,
  how: EndOptions,
  ctx?: KoaContextWithOIDC,
): Promise<Impersonation | undefined> {
  endingAdapterOf.of(provider)
  const token = await subjectTokensOf.of(provider).findById(id)
  if (!token) return undefined
  return untilRecorded({ how, ctx }, async (ending) => {
    const [ended] = (await endWithChains(provider, [token], ending)).tokens
    return ended && describeImpersonation(ended)
  })
}

/**
 * Ends all that match at this moment. Where the storage fails in the middle, what was ended stays
 * ended, and a repetition ends the rest. Settles when its ends are recorded, or their time is over (nothing
 * acts before it is recorded, I13).
 *
 * @param only a further condition
 * @returns how many this call ended
 */
export async function endMatching(
  provider: Provider,
  filter: ImpersonationFilter,
  { only, ...call }: EndCall & { readonly only?: (token: SubjectToken) => boolean },
): Promise<number> {
  return untilRecorded(call, (ending) => endPages(provider, filter, ending, only))
}

/** Runs what ends, and waits for what records it, also where it fails in the middle. */
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
  const recorded = emitEnd(provider, ending.ctx, facts)
  // By `then`, which keeps nothing of the ends before: the result of `Promise.all` would hold them all.
  ending.recorded = ending.recorded.then(() => recorded)
}

async function endPages(
  provider: Provider,
  filter: ImpersonationFilter,
  ending: Ending,
  only: (token: SubjectToken) => boolean = () => true,
): Promise<number> {
  const isMeant = matcherFor(filter)
  let ended = 0
  for await (const records of listPages(provider, lookUpOf(filter), PAGE_SIZE)) {
    const tokens = records
      .map((record) => subjectTokensOf.of(provider).fromRecord(record))
      .filter((token) => token !== undefined && isMeant(token) && only(token)) as SubjectToken[]
    ended += (await endWithChains(provider, tokens, ending)).count
  }
  return ended
}

/**
 * Ends them and what runs through them, also where they have ended or expired themselves: what runs
 * through them may have been missed then, and may live longer.
 */
async function endWithChains(
  provider: Provider,
  tokens: readonly SubjectToken[],
  ending: Ending,
): Promise<{ readonly count: number; readonly tokens: readonly (SubjectToken | undefined)[] }> {
  const ended: EndedOne[] = []
  for (let from = 0; from < tokens.length; from += AT_ONCE) {
    const batch = tokens.slice(from, from + AT_ONCE)
    const outcomes = await Promise.allSettled(
      batch.map((token) => endOnce(provider, token, ending)),
    )
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason
      ended.push(outcome.value)
    }
  }
  let count = ended.filter(({ isFirst }) => isFirst).length
  // What can act can be ended (I14), whether chains are allowed here or not: they may have been before, or
  // are elsewhere.
  const chained = ended.flatMap(({ token }) => (token?.chained ? [token] : []))
  const accounts = Map.groupBy(chained, ({ accountId }) => accountId)
  for (const [actor, through] of accounts) {
    const ids = new Set(through.map(({ jti }) => jti))
    const runsThrough = ({ note }: SubjectToken) => ids.has(note?.through ?? '')
    count += await endPages(provider, { actor }, ending, runsThrough)
  }
  return { count, tokens: ended.map(({ token }) => token) }
}

/** Ends one, and answers it as it is then. */
async function endOnce(provider: Provider, token: SubjectToken, ending: Ending): Promise<EndedOne> {
  if (isOver(token)) return { isFirst: false, token }
  const end = newEnd(ending.how)
  // What can act can be ended (I14): also where it has ended, so that the storage repairs what it lost of
  // that end.
  if (await endRecord(provider, token.jti, end)) {
    const found = mayChangeBefore(provider, token)
      ? await Promise.allSettled([subjectTokensOf.of(provider).findById(token.jti)])
      : []
    const [again] = found
    const ended = (again?.status === 'fulfilled' && again.value) || Object.assign(token, { end })
    notify(provider, ending, () => ({ ...describeEnded(ended), end: shownEnd(end) }))
    // What runs through it is not known.
    if (again?.status === 'rejected') throw again.reason
    return { isFirst: true, token: ended }
  }
  // No end goes unrecorded (I13): an attempt of this process that was the one after all. Its event is due.
  const attempt = token.end?.attempt
  if (attempt !== undefined && unsureOf.of(provider).delete(attempt)) {
    notify(provider, ending, () => describeEnded(token))
    return { isFirst: true, token }
  }
  const isKnown = token.end !== undefined
  return {
    isFirst: false,
    token: isKnown ? token : await subjectTokensOf.of(provider).findById(token.jti),
  }
}

/**
 * Whether a record may have become another one between the look at it and its end, but for the end: it
 * was redeemed, or its access token was taken as an actor token.
 */
function mayChangeBefore(provider: Provider, { consumed, note, chained }: SubjectToken): boolean {
  if (!consumed || !note) return true
  const { scope } = optionsOf.of(provider).actorToken
  return !chained && (note.scope ?? '').split(' ').includes(scope)
}

/** An end that knows itself again: by its attempt, which no other has. */
type EndAttempt = StoredEnd & { readonly attempt: string }

/** What is stored of an end that is asked for now. */
function newEnd({ by, cause = 'requested', reason }: EndOptions): EndAttempt {
  return {
    at: epochSeconds(),
    ...present({ by: by && { sub: by.sub }, cause, reason }),
    attempt: randomBytes(9).toString('base64url'),
  }
}

/**
 * Ends the record. Where the reply was lost, it is asked for once more, and the record tells whether
 * this attempt was the one. The record alone does not tell enough: it may read as ended while the
 * index is not stored, or while no replica has it (what can act can be ended, I14).
 *
 * @throws the storage's error where neither is known: the attempt is remembered then
 */
async function endRecord(provider: Provider, id: string, end: EndAttempt): Promise<boolean> {
  const ask = async () => {
    const won: unknown = await endingAdapterOf.of(provider).endOnce(id, { ...end })
    if (typeof won === 'boolean') return won
    throw new TypeError('endOnce() of the storage adapter must resolve true or false')
  }
  try {
    return await ask()
  } catch (error) {
    const won = await ask().catch(() => undefined)
    if (won === true) return true
    const look = won === false && subjectTokensOf.of(provider).findById(id)
    const stored = await Promise.resolve(look).catch(() => undefined)
    const attempt = stored ? stored.end?.attempt : undefined
    if (attempt !== undefined) return attempt === end.attempt
    unsureOf.of(provider).set(end.attempt, true)
    throw error
  }
}

/**
 * An end ends (I11): an exchange with an impersonated actor token marks the impersonation that the token came
 * out of before it redeems, and looks at the end of it afterwards. An end looks at the mark after it is
 * stored. So one of the two sees the other, and an end without a mark has nothing to look up.
 *
 * Also where impersonations cannot be ended here: another process on the same store may end them.
 */
export async function markChain(provider: Provider, id: string): Promise<void> {
  const { adapter } = subjectTokensOf.of(provider)
  if (!hasEnding(adapter)) return
  const record = await adapter.find(id)
  if (!record || record.chained === true) return
  // The adapter keeps these by itself, as they are in this moment.
  const { consumed: _, note: __, end: ___, ...payload } = record
  const keptUntil = Number(payload.keptUntil ?? payload.exp)
  const expiresIn = keptUntil - epochSeconds()
  if (expiresIn > 0) await adapter.upsert(id, { ...payload, chained: true }, expiresIn)
}

/** Why an impersonation ends after the request that caused it. */
const ENDED_LATER = {
  /** Its subject token was presented again. */
  replay: { cause: 'replay' },
  nothingIssued: { cause: 'policy', reason: 'redeemed, and nothing was issued' },
  notRecorded: { cause: 'policy', reason: 'the audit did not store it in time' },
} as const

/** Ends one after this returns, however often that takes. Does nothing where impersonations cannot be ended. */
export function endLater(provider: Provider, id: string, why: keyof typeof ENDED_LATER): void {
  if (!endingAdapterOf.find(provider)) return
  if (why === 'replay' && optionsOf.of(provider).ending.onReplay !== 'end') return
  endingsOf.of(provider)(id, () => endImpersonation(provider, id, ENDED_LATER[why]))
}

/**
 * Whether an impersonation has ended. What can act can be ended (I14): also with `ending.enabled: false`,
 * wherever the storage can have an end: another process on the same store may end impersonations, or this one
 * may have done so before. Where they can be ended here, one whose record is gone has ended, too, because the
 * storage has forgotten something.
 */
export async function hasEnded(provider: Provider, id: string): Promise<boolean> {
  const subjectTokens = subjectTokensOf.of(provider)
  if (!hasEnding(subjectTokens.adapter)) return false
  const impersonation = await subjectTokens.findById(id)
  if (impersonation) return impersonation.end !== undefined
  return endingAdapterOf.find(provider) !== undefined
}

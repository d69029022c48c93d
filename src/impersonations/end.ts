import { randomBytes } from 'node:crypto'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { emit } from '../events/emit.ts'
import { instance, requireEnding } from '../host/weak-cache.ts'
import type { EndOptions, Impersonation, ImpersonationFilter } from '../public/objects.ts'
import { present } from '../shared/json.ts'
import { epochSeconds } from '../shared/time.ts'
import type { StoredEnd, SubjectToken } from '../tokens/subject-token.ts'
import {
  describeEnded,
  describeImpersonation,
  isOver,
  listTokens,
  lookUpOf,
  matcherFor,
} from './list.ts'

/** The number of ends at once. */
const AT_ONCE = 16
/** The number of attempts with unknown outcome that are remembered. */
export const MAX_UNSURE_IDS = 10_000

/** A call that ends, and its request. */
interface Ending {
  readonly how: EndOptions
  readonly ctx?: KoaContextWithOIDC | undefined
  /** One for each end that this call stored. Resolves when it is recorded, or its time is over. */
  readonly recorded: Promise<void>[]
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
  const recorded: Promise<void>[] = []
  const token = await endToken(provider, found, { how, ctx, recorded })
  await Promise.all(recorded)
  return token && describeImpersonation(token)
}

/**
 * Ends all that match at this moment. If the storage fails in the middle, the ends so far stay,
 * and a repetition ends the rest. Settles when its ends are recorded, or the time for that is over
 * (nothing acts before it is recorded, I13).
 *
 * @param isMeant - a further condition
 * @returns the number that this call ended
 */
export async function endMatching(
  provider: Provider,
  filter: ImpersonationFilter,
  how: EndOptions,
  isMeant: (token: SubjectToken) => boolean = () => true,
  ctx?: KoaContextWithOIDC,
): Promise<number> {
  const matches = matcherFor(filter)
  const recorded: Promise<void>[] = []
  try {
    for await (const tokens of listTokens(provider, lookUpOf(filter))) {
      const found = tokens.filter((token) => matches(token) && isMeant(token))
      for (let from = 0; from < found.length; from += AT_ONCE) {
        const batch = found.slice(from, from + AT_ONCE)
        const ends = batch.map((token) => endToken(provider, token, { how, ctx, recorded }))
        await Promise.allSettled(ends)
        await Promise.all(ends)
      }
    }
  } finally {
    await Promise.all(recorded)
  }
  return recorded.length
}

/**
 * Stores one end, and emits its event if it is the first. An ended impersonation as well, so that
 * the storage repairs the lost parts of that end (what can act can be ended, I14).
 *
 * @returns the token afterwards; `undefined` if it is gone
 * @throws the storage's error if it is not known whether the end is stored
 */
async function endToken(
  provider: Provider,
  token: SubjectToken,
  { how, ctx, recorded }: Ending,
): Promise<SubjectToken | undefined> {
  if (isOver(token)) return token
  const { subjectTokens, unsureEnds } = instance(provider)
  const { by, cause = 'requested', reason } = how
  // The id of this attempt, which no other end has.
  const attempt = randomBytes(9).toString('base64url')
  const members = present({ by: by && { sub: by.sub }, cause, reason })
  const end: StoredEnd = { at: epochSeconds(), ...members, attempt }
  /** Resolves `true` if this is the first end of the record. */
  const store = async (): Promise<boolean> => {
    const isFirst: unknown = await requireEnding(provider).endOnce(token.jti, { ...end })
    if (typeof isFirst === 'boolean') return isFirst
    throw new TypeError('endOnce() of the storage adapter must resolve true or false')
  }
  let isStored = false
  let after: SubjectToken | undefined
  try {
    // Asks again if the reply was lost. A record may read as ended while the index is not stored.
    isStored = await store().catch(store)
    // It may have been redeemed, or ended, since it was read.
    const isKnown = token.end ?? (isStored && token.note)
    after = isKnown ? token : await subjectTokens.findById(token.jti)
  } catch (error) {
    if (!isStored) {
      unsureEnds.set(attempt, true)
      throw error
    }
  }
  const ended = isStored ? Object.assign(after ?? token, { end }) : after
  // No end goes unrecorded (I13): the end may be that of a reply that was lost, now or before.
  const endedBy = ended?.end?.attempt ?? ''
  if (ended && (endedBy === attempt || unsureEnds.delete(endedBy))) {
    recorded.push(emit(provider, 'impersonation.ended', ctx, () => describeEnded(ended)))
  }
  return ended
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
  if (!subjectTokens.endable) return false
  const impersonation = await subjectTokens.findById(id)
  return impersonation ? impersonation.end !== undefined : ending !== undefined
}

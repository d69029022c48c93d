import { randomBytes } from 'node:crypto'
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { slot } from '../host/slot.ts'
import { readInput } from '../options/rules.ts'
import type { EndOptions, ImpersonationFilter } from '../public/objects.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { epochSeconds } from '../shared/time.ts'
import {
  endingAdapterOf,
  MAX_CLOCK_DIFFERENCE,
  type SubjectToken,
} from '../tokens/subject-token.ts'
import { endMatching } from './end.ts'
import { END, readFilter } from './inputs.ts'
import { listPages } from './list.ts'
import { endingsOf } from './retry.ts'

/**
 * How long after an exchange looked at the operator its redemption counts, in milliseconds, by the
 * monotonic clock. An exchange that is later issues nothing.
 */
export const REDEEMED_WITHIN_MS = 8_000

/** How long after an end its second pass comes, in milliseconds: exchanges under way are over then. */
const SECOND_PASS_MS = 10_000
/** How long between two looks at what other processes left, in milliseconds. */
const LOOK_INTERVAL_MS = 5_000
/** How long after a look the second pass comes, in milliseconds: 15 seconds after the end at most. */
const SECOND_PASS_AFTER_LOOK_MS = 9_000
/** How long a pending end is kept, in seconds: every process has looked by then, also one that starts. */
const KEPT_SECONDS = 60
const RECORDS_PER_READ = 100
const MAX_REMEMBERED = 10_000
/** No user has this id: the API takes no control characters. */
const ACCOUNT_ID = '\u0001pending-ends'

/** An end of all that match, which is carried out once more. */
export interface PendingEnd {
  readonly filter: ImpersonationFilter
  readonly how: EndOptions
  /** What was issued later goes on: in seconds since the epoch. */
  readonly until?: number | undefined
  /** Only what was begun with an actor token of one of these grants. */
  readonly grants?: readonly string[] | undefined
}

/** The pending ends that this process knows: the second pass is on its way, or done. */
const knownOf = slot('the pending ends', () => new BoundedMap<string, true>(MAX_REMEMBERED))

/**
 * Ends all that match at this moment, as {@link endMatching}. An end of all that an operator or a client
 * runs, or that a permit allowed, has its second pass. What was issued after the end goes on.
 */
export async function endAll(
  provider: Provider,
  filter: ImpersonationFilter,
  how: EndOptions,
  ctx?: KoaContextWithOIDC,
): Promise<number> {
  if ((filter.actor ?? filter.client ?? filter.permit) === undefined) {
    return endMatching(provider, filter, { how, ctx })
  }
  const until = epochSeconds() + MAX_CLOCK_DIFFERENCE
  // A storage that takes no record may take ends. The caller learns of it afterwards.
  const [kept] = await Promise.allSettled([keepPendingEnd(provider, { filter, how, until })])
  const ended = await endMatching(provider, filter, { how, ctx })
  if (kept.status === 'rejected') throw kept.reason
  return ended
}

/** Which impersonations a pending end means, beside its filter. */
function isMeantBy({ until, grants }: PendingEnd): (token: SubjectToken) => boolean {
  return ({ iat, note }) =>
    (until === undefined || iat <= until) &&
    (grants === undefined || grants.includes(note?.grant ?? ''))
}

/**
 * Looks for pending ends now and then, which keeps neither the process alive nor the provider. A look that
 * fails is made again.
 *
 * The second pass is of an end that finds impersonations by their operator, client or permit: a record may
 * have none of them before it is redeemed, so that the first pass misses one whose exchange looked at the
 * operator before the end and redeems after it. No exchange looks here.
 *
 * An end ends (I11): a pending end is a record, so that every process finds it, and makes the pass for one
 * that was killed. It is a record of the model `SubjectToken` and no token, because it has no `exp`.
 */
export function lookForPendingEnds(provider: Provider): void {
  const looking = new WeakRef(provider)
  const lookAgain = () => {
    const there = looking.deref()
    if (!there) return
    void look(there).catch(() => {})
    setTimeout(lookAgain, LOOK_INTERVAL_MS).unref()
  }
  setImmediate(lookAgain)
}

async function look(provider: Provider): Promise<void> {
  for await (const records of listPages(provider, { accountId: ACCOUNT_ID }, RECORDS_PER_READ)) {
    for (const record of records) {
      const end = parseRecord(record, provider.issuer)
      const id = String(record.jti)
      if (end && !knownOf.of(provider).has(id)) makeSecondPass(provider, id, end, false)
    }
  }
}

/**
 * Resolves when the storage has it. Its second pass comes in any case as long as this process runs.
 *
 * @throws the storage's error
 */
export async function keepPendingEnd(provider: Provider, end: PendingEnd): Promise<void> {
  const id = `pending-end:${randomBytes(16).toString('base64url')}`
  makeSecondPass(provider, id, end, true)
  const iat = epochSeconds()
  const record = {
    jti: id,
    iat,
    iss: provider.issuer,
    accountId: ACCOUNT_ID,
    pendingEnd: JSON.stringify(end),
  }
  await endingAdapterOf.of(provider).upsert(id, record, KEPT_SECONDS)
}

/** @param isOwn whether this process began it: another one may have made the pass of what was found */
function makeSecondPass(provider: Provider, id: string, end: PendingEnd, isOwn: boolean): void {
  const adapter = endingAdapterOf.of(provider)
  knownOf.of(provider).set(id, true)
  const isMeant = isMeantBy(end)
  // What has ended needs nothing; what runs through it may.
  const only = (token: SubjectToken) =>
    isMeant(token) && (token.end === undefined || token.chained === true)
  let isBegun = isOwn
  const run = async () => {
    isBegun ||= (await adapter.find(id)) !== undefined
    if (!isBegun) return
    await endMatching(provider, end.filter, { how: end.how, only })
    await adapter.destroy(id)
  }
  const pause = isOwn ? SECOND_PASS_MS : SECOND_PASS_AFTER_LOOK_MS
  setTimeout(() => endingsOf.of(provider)(id, run), pause).unref()
}

/** `undefined` for one of another provider, and for what cannot be read. */
function parseRecord({ iss, pendingEnd }: AdapterPayload, issuer: string): PendingEnd | undefined {
  if (iss !== issuer || typeof pendingEnd !== 'string') return undefined
  try {
    const { filter, how, until, grants } = JSON.parse(pendingEnd) as Record<string, unknown>
    return {
      filter: readFilter(filter),
      how: readInput(END, how),
      until: until === undefined ? undefined : Number(until),
      grants: Array.isArray(grants) ? grants.map(String) : undefined,
    }
  } catch {
    return undefined
  }
}

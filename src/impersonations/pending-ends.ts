import { randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, ListedBefore } from '../adapters/contract.ts'
import { epochSeconds } from '../adapters/record.ts'
import type { EndOptions, ImpersonationFilter } from '../public/list-and-end.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import type { Impersonations } from './impersonations.ts'
import { ALL_CAUSES, checkEnd, checkFilter } from './inputs.ts'
import { keepTrying } from './keep-trying.ts'

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
const WORK_NAME = 'ending what exchanges under way began'

/** An end of all that match, which is carried out once more. */
export interface PendingEnd {
  readonly filter: ImpersonationFilter
  readonly how: EndOptions
  /** What was issued later goes on: in seconds since the epoch. */
  readonly until?: number | undefined
  /** Only what was begun with an actor token of one of these grants. */
  readonly grants?: readonly string[] | undefined
}

/** Ends that have a second pass, whichever process is still there for it. */
export interface PendingEnds {
  /**
   * Resolves when the storage has it. Its second pass comes in any case as long as this process runs.
   *
   * @throws the storage's error
   */
  keep(end: PendingEnd): Promise<void>
}

/** Which impersonations a pending end means, beside its filter. */
function isMeantBy({ until, grants }: PendingEnd): (token: SubjectToken) => boolean {
  return ({ iat, note }) =>
    (until === undefined || iat <= until) &&
    (grants === undefined || grants.includes(note?.grant ?? ''))
}

/**
 * The second pass of an end that finds impersonations by their operator, client or permit: a record may
 * have none of them before it is redeemed, so that the first pass misses one whose exchange looked at the
 * operator before the end and redeems after it. No exchange looks here.
 *
 * I11: a pending end is a record, so that every process finds it, and makes the pass for one that was
 * killed. It is a record of the model `SubjectToken` and no token, because it has no `exp`.
 *
 * @param tokenLife how long an access token can live, in seconds
 */
export function pendingEnds(
  issuer: string,
  adapter: EndingAdapter,
  all: Impersonations,
  tokenLife: number,
): PendingEnds {
  const endAgain = keepTrying(WORK_NAME, tokenLife)
  /** Those that this process knows: the second pass is on its way, or done. */
  const known = new BoundedMap<string, true>(MAX_REMEMBERED)

  /** @param isOwn whether this process began it: another one may have made the pass of what was found */
  function makeSecondPass(id: string, end: PendingEnd, isOwn: boolean): void {
    known.set(id, true)
    const isMeant = isMeantBy(end)
    // What has ended needs nothing; what runs through it may.
    const isLeft = (token: SubjectToken) =>
      isMeant(token) && (token.end === undefined || token.chained === true)
    let isBegun = isOwn
    const run = async () => {
      isBegun ||= (await adapter.find(id)) !== undefined
      if (!isBegun) return
      await all.endAll(end.filter, end.how, undefined, isLeft)
      await adapter.destroy(id)
    }
    const pause = isOwn ? SECOND_PASS_MS : SECOND_PASS_AFTER_LOOK_MS
    setTimeout(() => endAgain(id, run), pause).unref()
  }

  async function look(): Promise<void> {
    for (let before: ListedBefore | undefined; ; ) {
      const records = await adapter.list({ accountId: ACCOUNT_ID }, RECORDS_PER_READ, before)
      for (const record of records) {
        const end = parseRecord(record, issuer)
        const id = String(record.jti)
        if (end && !known.get(id)) makeSecondPass(id, end, false)
      }
      const last = records.at(-1)
      if (records.length < RECORDS_PER_READ || !last) return
      before = { iat: Number(last.iat), id: String(last.jti) }
    }
  }

  const ends = {
    async keep(end: PendingEnd) {
      const id = `pending-end:${randomBytes(16).toString('base64url')}`
      makeSecondPass(id, end, true)
      const iat = epochSeconds(Date.now())
      const record = { jti: id, iat, iss: issuer, accountId: ACCOUNT_ID }
      await adapter.upsert(id, { ...record, pendingEnd: JSON.stringify(end) }, KEPT_SECONDS)
    },
    look,
  }
  lookNowAndThen(ends)
  return ends
}

/** Keeps neither the process alive nor the provider that looks. A look that fails is made again. */
function lookNowAndThen(ends: { look(): Promise<void> }): void {
  const looking = new WeakRef(ends)
  const look = () => {
    const there = looking.deref()
    if (!there) return
    void there.look().catch(() => {})
    setTimeout(look, LOOK_INTERVAL_MS).unref()
  }
  setImmediate(look)
}

/** `undefined` for one of another provider, and for what cannot be read. */
function parseRecord({ iss, pendingEnd }: AdapterPayload, issuer: string): PendingEnd | undefined {
  if (iss !== issuer || typeof pendingEnd !== 'string') return undefined
  try {
    const { filter, how, until, grants } = JSON.parse(pendingEnd) as Record<string, unknown>
    return {
      filter: checkFilter(filter),
      how: checkEnd(how, ALL_CAUSES),
      until: until === undefined ? undefined : Number(until),
      grants: Array.isArray(grants) ? grants.map(String) : undefined,
    }
  } catch {
    return undefined
  }
}

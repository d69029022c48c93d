import { randomBytes } from 'node:crypto'
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { EndingAdapter } from '../adapters/contract.ts'
import { readPages } from '../adapters/pages.ts'
import { RESERVED_PREFIX } from '../adapters/record.ts'
import { instance, requireEnding } from '../host/weak-cache.ts'
import type { EndOptions, ImpersonationFilter } from '../public/objects.ts'
import { MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { sha256 } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'
import { MAX_CLOCK_DIFFERENCE, type SubjectToken } from '../tokens/subject-token.ts'
import { endMatching } from './end.ts'
import { matcherFor } from './list.ts'

/** The interval at which the ending process touches its mark, in milliseconds. */
const TOUCH_INTERVAL_MS = 5_000
/** The interval at which a process checks for marks that another one left, in milliseconds. */
const LOOK_INTERVAL_MS = 10_000
/** The time without a touch after which another process takes a mark over, in seconds. */
const ABANDONED_SECONDS = 10

/** The account id of the marks that every exchange reads. */
const COMMON_MARKS = `${RESERVED_PREFIX}marks`

/** An end of all that match, stored before they are read. */
export interface Mark {
  /** The id of its record. */
  readonly id: string
  readonly filter: ImpersonationFilter
  readonly how: EndOptions
  /** The last second of issue of the subject tokens that it concerns, since the epoch. */
  readonly until: number
  /**
   * Limits it to subject tokens that were exchanged with an actor token of one of these grants.
   */
  readonly grants?: readonly string[] | undefined
}

/** Makes a mark that ends from now on. The clocks of processes differ. */
export function markFrom(
  filter: ImpersonationFilter,
  how: EndOptions,
  grants?: readonly string[],
): Mark {
  const id = `mark:${randomBytes(16).toString('base64url')}`
  return { id, filter, how, until: epochSeconds() + MAX_CLOCK_DIFFERENCE, grants }
}

/** Checks whether a mark concerns an impersonation that its filter finds. */
export function isConcernedBy({ until, grants }: Mark): (token: SubjectToken) => boolean {
  return ({ iat, note }) =>
    iat <= until && (grants === undefined || grants.includes(note?.grant ?? ''))
}

/**
 * Ends all that match at this moment, as {@link endMatching}. An end by operator, exchanging
 * client or permit is marked.
 *
 * @returns the number that this call ended
 * @throws the storage's error, also if it stored the ends but not the mark
 */
export async function endAll(
  provider: Provider,
  filter: ImpersonationFilter,
  how: EndOptions,
  ctx?: KoaContextWithOIDC,
): Promise<number> {
  const run = () => endMatching(provider, filter, how, undefined, ctx)
  const isKnownAtIssue = (filter.actor ?? filter.client ?? filter.permit) === undefined
  return isKnownAtIssue ? run() : endMarked(provider, markFrom(filter, how), run)
}

/**
 * Stores the mark, and then runs the end. Operator, client and permit are known only at the
 * redemption. Each exchange reads the marks after its redemption, and an end reads the redemptions
 * after its mark. So one of the two sees the other (an end ends, I11).
 *
 * If the storage takes no mark, the end runs all the same.
 *
 * @param onMarked - called when the mark is stored
 * @throws the storage's error, also if it stored the ends but not the mark
 */
export async function endMarked<T>(
  provider: Provider,
  mark: Mark,
  run: () => Promise<T>,
  onMarked = () => {},
): Promise<T> {
  try {
    await storeMark(provider, COMMON_MARKS, mark)
  } catch (error) {
    await run()
    throw error
  }
  onMarked()
  return carryOut(provider, mark, run)
}

/** The account id of the marks that only exchanges of one operator read. */
export function marksOf(operator: string): string {
  return `${COMMON_MARKS}:${sha256(operator)}`
}

/**
 * Stores a mark, or touches it. Its record is of the model `SubjectToken`. It is no token, because
 * it has no `exp`. It is kept until every subject token from before it has expired.
 *
 * @throws the storage's error
 */
export async function storeMark(provider: Provider, accountId: string, mark: Mark): Promise<void> {
  const { id: jti, until: iat } = mark
  const { issuer: iss } = provider
  const touchedAt = epochSeconds()
  const record = { jti, iat, iss, accountId, touchedAt, mark: JSON.stringify(mark) }
  const left = iat + MAX_CLOCK_DIFFERENCE + MAX_SUBJECT_TOKEN_TTL - touchedAt
  await requireEnding(provider).upsert(jti, record, Math.max(left, 1))
}

/** Runs the end of a mark. The mark is touched meanwhile, and consumed afterwards. */
async function carryOut<T>(provider: Provider, mark: Mark, run: () => Promise<T>): Promise<T> {
  const touch = () => void storeMark(provider, COMMON_MARKS, mark).catch(() => {})
  const touching = setInterval(touch, TOUCH_INTERVAL_MS).unref()
  try {
    const result = await run()
    // Another process repeats the end if this fails.
    await requireEnding(provider)
      .consume(mark.id)
      .catch(() => {})
    return result
  } finally {
    clearInterval(touching)
  }
}

/**
 * Finds a mark that concerns an impersonation that was just redeemed.
 *
 * @param operator - the operator whose own marks are read as well
 * @throws the storage's error
 */
export async function findMark(
  adapter: EndingAdapter,
  token: SubjectToken,
  operator: string | undefined,
): Promise<Mark | undefined> {
  const accountIds = [COMMON_MARKS, ...(operator === undefined ? [] : [marksOf(operator)])]
  const found = await Promise.all(
    accountIds.map(async (accountId) => {
      for await (const records of readPages(adapter, { accountId })) {
        for (const record of records) {
          const mark = parseMark(record, token.iss)
          if (mark && matcherFor(mark.filter)(token) && isConcernedBy(mark)(token)) return mark
        }
      }
      return undefined
    }),
  )
  return found.find(Boolean)
}

/** Parses a mark; `undefined` for a mark of another provider, and for one that cannot be read. */
function parseMark({ iss, mark }: AdapterPayload, issuer: string): Mark | undefined {
  if (iss !== issuer || typeof mark !== 'string') return undefined
  try {
    const parsed: Mark = JSON.parse(mark)
    return typeof parsed.filter === 'object' && typeof parsed.until === 'number'
      ? parsed
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Polls for ends that another process did not finish, and takes them over. It keeps neither the
 * process nor the provider alive. A poll that is under way, or repeated, is not begun again.
 */
export function takeOverMarks(provider: Provider): void {
  const looking = new WeakRef(provider)
  const look = () => {
    const there = looking.deref()
    if (there) instance(there).endings(COMMON_MARKS, () => takeOver(there))
    else clearInterval(timer)
  }
  const timer = setInterval(look, LOOK_INTERVAL_MS).unref()
  setImmediate(look)
}

async function takeOver(provider: Provider): Promise<void> {
  for await (const records of readPages(requireEnding(provider), { accountId: COMMON_MARKS })) {
    for (const record of records) {
      const mark = parseMark(record, provider.issuer)
      const isAbandoned = Number(record.touchedAt) + ABANDONED_SECONDS < epochSeconds()
      if (!mark || !isAbandoned || record.consumed) continue
      const { id, filter, how } = mark
      const run = () => endMatching(provider, filter, how, isConcernedBy(mark))
      instance(provider).endings(id, () => carryOut(provider, mark, run))
    }
  }
}

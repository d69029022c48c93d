import { hash, randomBytes } from 'node:crypto'
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { type EndingAdapter, hasEnding } from '../adapters/contract.ts'
import { readPages } from '../adapters/pages.ts'
import { RESERVED_PREFIX } from '../adapters/record.ts'
import { instance, requireEnding } from '../host/weak-cache.ts'
import type { EndOptions, ImpersonationFilter } from '../public/objects.ts'
import { MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { epochSeconds } from '../shared/time.ts'
import { MAX_CLOCK_DIFFERENCE, type SubjectToken } from '../tokens/subject-token.ts'
import { endMatching } from './end.ts'
import { lookUpOf, matcherFor, PAGE_SIZE } from './list.ts'

/**
 * The time for which a mark is kept, in seconds. Every subject token from before it has expired by
 * then.
 */
const KEPT_SECONDS = MAX_SUBJECT_TOKEN_TTL + 2 * MAX_CLOCK_DIFFERENCE
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
  grants?: Iterable<string>,
): Mark {
  const until = epochSeconds() + MAX_CLOCK_DIFFERENCE
  return { filter, how, until, ...(grants === undefined ? {} : { grants: [...grants] }) }
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
  const run = () => endMatching(provider, filter, { how, ctx })
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
  const [stored] = await Promise.allSettled([storeMark(provider, COMMON_MARKS, mark)])
  if (stored.status === 'fulfilled') {
    onMarked()
    return carryOut(provider, stored.value, run)
  }
  await run()
  throw stored.reason
}

/**
 * Stores a mark that only exchanges of this operator read.
 *
 * @throws the storage's error
 */
export async function markOperator(
  provider: Provider,
  operator: string,
  mark: Mark,
): Promise<void> {
  await storeMark(provider, marksOf(operator), mark)
}

/** The account id of the marks that exchanges of one operator read. */
function marksOf(operator: string): string {
  return `${COMMON_MARKS}:${hash('sha256', operator, 'base64url')}`
}

/** @returns its record, of the model `SubjectToken`. It is no token, because it has no `exp`. */
async function storeMark(
  provider: Provider,
  accountId: string,
  mark: Mark,
): Promise<AdapterPayload> {
  const record = {
    jti: `mark:${randomBytes(16).toString('base64url')}`,
    iat: epochSeconds(),
    iss: provider.issuer,
    accountId,
    touchedAt: epochSeconds(),
    mark: JSON.stringify(mark),
  }
  await requireEnding(provider).upsert(record.jti, record, KEPT_SECONDS)
  return record
}

/** Runs the end of a mark. The mark is touched meanwhile, and consumed afterwards. */
async function carryOut<T>(
  provider: Provider,
  record: AdapterPayload,
  run: () => Promise<T>,
): Promise<T> {
  const adapter = requireEnding(provider)
  const id = String(record.jti)
  const touch = () => {
    const touchedAt = epochSeconds()
    const left = Number(record.iat) + KEPT_SECONDS - touchedAt
    adapter.upsert(id, { ...record, touchedAt }, Math.max(left, 1)).catch(() => {})
  }
  const touching = setInterval(touch, TOUCH_INTERVAL_MS).unref()
  try {
    const result = await run()
    // If it fails, another process repeats the end.
    await adapter.consume(id).catch(() => {})
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
  provider: Provider,
  token: SubjectToken,
  operator: string | undefined,
): Promise<Mark | undefined> {
  const { adapter } = instance(provider).subjectTokens
  if (!hasEnding(adapter)) return undefined
  const accountIds = [COMMON_MARKS, ...(operator === undefined ? [] : [marksOf(operator)])]
  const found = await Promise.all(
    accountIds.map((accountId) => findAmong(adapter, accountId, token)),
  )
  return found.find((mark) => mark !== undefined)
}

async function findAmong(
  adapter: EndingAdapter,
  accountId: string,
  token: SubjectToken,
): Promise<Mark | undefined> {
  for await (const records of readPages(adapter, { accountId }, PAGE_SIZE)) {
    for (const record of records) {
      const mark = parseMark(record, token.iss)
      if (mark && isFoundBy(mark, token) && isConcernedBy(mark)(token)) return mark
    }
  }
  return undefined
}

/**
 * Checks whether the filter of a mark finds an impersonation, by the storage and in this process.
 */
function isFoundBy({ filter }: Mark, token: SubjectToken): boolean {
  const { accountId, actor, clientId } = lookUpOf(filter)
  return (
    (accountId === undefined || accountId === token.accountId) &&
    (actor === undefined || actor === (token.note?.actor ?? token.actor)) &&
    (clientId === undefined || clientId === token.clientId) &&
    matcherFor(filter)(token)
  )
}

/** Parses a mark; `undefined` for a mark of another provider, and for one that cannot be read. */
function parseMark({ iss, mark }: AdapterPayload, issuer: string): Mark | undefined {
  if (iss !== issuer || typeof mark !== 'string') return undefined
  try {
    const { filter, how, until, grants }: Mark = JSON.parse(mark)
    return typeof filter === 'object' && typeof until === 'number'
      ? { filter, how, until, grants }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Polls for ends that another process did not finish, and takes them over. It keeps neither the
 * process nor the provider alive. A poll that fails is repeated.
 */
export function takeOverMarks(provider: Provider): void {
  const looking = new WeakRef(provider)
  const lookAgain = () => {
    const there = looking.deref()
    if (!there) return
    takeOver(there).catch(() => {})
    setTimeout(lookAgain, LOOK_INTERVAL_MS).unref()
  }
  setImmediate(lookAgain)
}

async function takeOver(provider: Provider): Promise<void> {
  const adapter = requireEnding(provider)
  for await (const records of readPages(adapter, { accountId: COMMON_MARKS }, PAGE_SIZE)) {
    for (const record of records) {
      const mark = parseMark(record, provider.issuer)
      const isAbandoned = Number(record.touchedAt) + ABANDONED_SECONDS < epochSeconds()
      if (!mark || !isAbandoned || record.consumed) continue
      const { filter, how } = mark
      const run = () => endMatching(provider, filter, { how, only: isConcernedBy(mark) })
      instance(provider).endings(String(record.jti), () => carryOut(provider, record, run))
    }
  }
}

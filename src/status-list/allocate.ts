import { randomBytes, randomInt } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../adapters/contract.ts'
import { readPages } from '../adapters/pages.ts'
import { statusCountId, statusListId } from '../adapters/record.ts'
import { epochSeconds, sharing } from '../shared/time.ts'
import { MAX_CLOCK_DIFFERENCE } from '../tokens/subject-token.ts'

/**
 * The number of entries of a status list. Every list has all of them, so its size reveals nothing.
 */
export const LIST_SIZE = 2 ** 20
const HOUR_MS = 3_600_000
/** The time before the end of its hour at which the next list is started. */
const AHEAD_MS = 60_000
/**
 * The extra time for which a list is kept after its last token. Clocks differ, and a token is
 * issued after its draw.
 */
const MARGIN_SECONDS = 300
const COUNT_EVERY_MS = 5000
/** The time for which others join a start. A storage may never respond. */
const START_TIMEOUT_MS = 5000
const PAGE_SIZE = 100
const ACCOUNT_ID = '\u0001status-lists'

/** Draws status indices, and finds the lists of all processes. */
export type StatusIndices = ReturnType<typeof statusIndices>

/** A list that this process began, until its last token has expired. */
interface OwnList {
  readonly list: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** The newest count that the storage confirmed, and when its write began. */
  counted: { readonly id: string; readonly count: number; readonly at: number }
  /**
   * The record of the count before, which takes the next one. Absent while its content is unknown.
   */
  spareId?: string | undefined
}

/**
 * Draws status indices, each once, without asking any other process. Each process draws from lists
 * of its own, for an hour each. After a restart it begins another list.
 *
 * What can act can be ended (I14), so a list is not served if the storage may have forgotten ends.
 * Each process counts up beside its lists, in two records in turn. If the storage has lost the
 * newest count, it has gone back, and all lists of that age are withdrawn. Guards get 404, and
 * refuse. The record of a list is written once, so that no write brings a lost or withdrawn list
 * back.
 */
export function statusIndices(
  adapter: EndingAdapter,
  {
    issuer,
    tokenLife,
    now = () => Date.now(),
  }: {
    /** Providers of other issuers may use the same store. */
    readonly issuer: string
    /** The longest time from a draw to the end of its token, in whole seconds. */
    readonly tokenLife: number
    /**
     * The clock, in milliseconds since the epoch.
     *
     * @defaultValue the clock of the process
     */
    readonly now?: () => number
  },
) {
  /** The time for which the storage keeps a list, in seconds. */
  const life = HOUR_MS / 1000 + tokenLife + MARGIN_SECONDS
  const own = new Set<OwnList>()
  /** The current list. The first `left` indices, in random order, are not drawn yet. */
  let open: { readonly from: OwnList; readonly indices: Uint32Array; left: number } | undefined
  let countedAt = Number.NEGATIVE_INFINITY
  const startOnce = sharing(START_TIMEOUT_MS, now, start, () => false)

  async function start() {
    const list = randomBytes(16).toString('base64url')
    const at = now()
    const [id, counted] = [statusListId(list), { id: newCountId(list), count: 0, at }]
    const record = { jti: id, iss: issuer, iat: epochSeconds(at), accountId: ACCOUNT_ID, list }
    await Promise.all([adapter.upsert(id, record, life), writeCount(counted)])
    const from: OwnList = { list, startedAt: at, counted }
    own.add(from)
    const indices = new Uint32Array(LIST_SIZE)
    for (let index = 0; index < LIST_SIZE; index += 1) indices[index] = index
    open = { from, indices, left: LIST_SIZE }
    return open
  }

  function writeCount({ id, count }: OwnList['counted']): Promise<void> {
    return adapter.upsert(id, { jti: id, iss: issuer, count }, life)
  }

  async function countUp(list: OwnList): Promise<void> {
    const { counted, spareId: id = newCountId(list.list) } = list
    const next = { id, count: counted.count + 1, at: Math.max(counted.at, now()) }
    // A write that fails may still arrive later, so its record is not used again.
    list.spareId = undefined
    await writeCount(next)
    await requireRemembered(list)
    list.spareId = list.counted.id
    list.counted = next
    // Another process may have withdrawn it.
    if (open?.from === list && !(await exists(list.list))) open = undefined
  }

  /** Counts up in the background when it is due. After a failure it is due again. */
  function tend(): void {
    // Absolute, because a clock can be set back.
    if (Math.abs(now() - countedAt) < COUNT_EVERY_MS) return
    countedAt = now()
    for (const list of own) {
      if (now() - list.startedAt >= life * 1000) own.delete(list)
      else countUp(list).catch(() => {})
    }
  }

  /**
   * Withdraws every list that is as old as the newest count, if the storage has lost that count.
   *
   * @throws if the storage did not respond, which is no loss
   */
  async function requireRemembered(list: OwnList): Promise<void> {
    const { counted } = list
    const found = await adapter.find(counted.id)
    if (found?.count === counted.count) return
    if (list.counted !== counted) return requireRemembered(list)
    const lostAt = epochSeconds(counted.at) + MAX_CLOCK_DIFFERENCE
    const old = (await live()).filter(({ iat }) => Number(iat) <= lostAt)
    const names = new Set([list.list, ...old.map((record) => String(record.list))])
    await Promise.all([...names].map((name) => adapter.consume(statusListId(name))))
    for (const each of own) {
      if (!names.has(each.list)) continue
      own.delete(each)
      if (open?.from === each) open = undefined
    }
  }

  async function live(): Promise<AdapterPayload[]> {
    const found: AdapterPayload[] = []
    const pages = readPages(adapter, { accountId: ACCOUNT_ID }, PAGE_SIZE)
    for await (const page of pages) found.push(...page.filter(isLive))
    return found
  }

  function isLive({ iss, consumed }: AdapterPayload): boolean {
    return iss === issuer && !consumed
  }

  /**
   * Checks that the storage has such a list, which was not withdrawn.
   *
   * @throws if the storage did not respond
   */
  async function exists(list: string): Promise<boolean> {
    const found = await adapter.find(statusListId(list))
    // A store whose collation ignores case may have found another list.
    return found !== undefined && found.list === list && isLive(found)
  }

  return {
    /**
     * Draws an index that no other draw gets, in any process.
     *
     * @returns the name of the list, 16 random bytes in base64url, and the index in it
     * @throws if there is no list to draw from, and the storage took no new one
     */
    async draw() {
      tend()
      const isOpen = open && open.left > 0 && Math.abs(now() - open.from.startedAt) < HOUR_MS
      const list = isOpen && open ? open : await startOnce()
      if (now() - list.from.startedAt >= HOUR_MS - AHEAD_MS) startOnce().catch(() => {})
      const at = randomInt(list.left)
      list.left -= 1
      const { [at]: index = 0, [list.left]: last = 0 } = list.indices
      list.indices[at] = last
      return { list: list.from.list, index }
    },

    exists,

    /**
     * Checks that there is such a list, and that the storage has lost nothing that this process
     * has seen.
     *
     * @throws if the storage did not respond
     */
    async vouchFor(list: string): Promise<boolean> {
      tend()
      await Promise.all([...own].map(requireRemembered))
      return exists(list)
    },

    /** The names of all lists that have neither retired nor been withdrawn. */
    lists: async () => (await live()).map(({ list }) => String(list)),
  }
}

function newCountId(list: string): string {
  return statusCountId(list, randomBytes(6).toString('base64url'))
}

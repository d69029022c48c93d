import { randomInt } from 'node:crypto'
import type { EndingAdapter } from '../adapters/contract.ts'
import { slot } from '../host/slot.ts'
import { sharing } from '../shared/time.ts'
import {
  BLOCK_SIZE,
  BLOCKS_PER_LIST,
  HOUR_MS,
  type Lease,
  LeaseMemory,
  type StatusListRecord,
  StatusRecords,
  type StatusRecordsOptions,
} from './records.ts'

/** How many blocks are open at once; indices are drawn from all of them. */
const OPEN_BLOCKS = 4
/** With so many indices left, the next block is leased. */
const MIN_INDICES_LEFT = (OPEN_BLOCKS - 1) * BLOCK_SIZE
/** After so many blocks in a row that are another's, a list counts as full. */
const MAX_LEASE_TRIES = 4
/** How many lists are tried before a draw fails. */
const LISTS_TRIED = 8
/** How often, in milliseconds, a process that draws asks whether the storage remembers. */
const LOOK_EVERY_MS = 5000
/**
 * Within this time after the full hour, in milliseconds, processes go over to the list of the new hour,
 * each at a moment of its own: all at once, each would start a list.
 */
const SPREAD_MS = 10_000
/** How long a list is drawn from before and after its hour, in milliseconds. */
const GRACE_MS = 60_000
/** How long, in milliseconds, an attempt is joined. A storage may never answer. */
const ATTEMPT_TIMEOUT_MS = 5000

/** The list and the index of a token's status. */
export interface StatusIndex {
  /** The name of the list: 16 random bytes, base64url. */
  readonly list: string
  /** From 0 to 2^20 - 1. */
  readonly index: number
}

/** Where status indices come from, and which lists there are. */
export type StatusIndices = ReturnType<typeof statusIndices>

/** Set where the provider has a key that can sign lists: an index of one is drawn for each token. */
export const statusIndicesOf = slot<StatusIndices>('the status indices')

/** A list that this process has blocks of. */
interface OpenList {
  readonly record: StatusListRecord
  /** Leased and not drawn, of all blocks that are open. */
  readonly indices: number[]
  /** Blocks that this process has not tried to lease. */
  readonly untried: number[]
}

/**
 * Draws status indices, each once, without a write for each: a process leases a block of a list and
 * draws from its blocks at random.
 *
 * A store that forgets (a restart, a snapshot) would lease a block twice. So each lease is followed
 * by a look whether the leases before it are remembered, and every 5 s while tokens are issued, and
 * whenever a list is served, there is such a look. A lease that was forgotten ends every list that
 * is as old: guards get 404, and refuse.
 */
export function statusIndices(
  adapter: EndingAdapter,
  { issuer, tokenLife, now = () => Date.now() }: StatusRecordsOptions,
) {
  const records = new StatusRecords(adapter, { issuer, tokenLife, now })
  /** How much later than others, in milliseconds, the hour begins here. */
  const lag = randomInt(SPREAD_MS)
  /** The list that is drawn from. */
  let open: OpenList | undefined
  /** How often the storage has forgotten something. What was leased before that is not used. */
  let losses = 0
  /** Lists of the hour that had no free block. */
  const full = new Set<string>()
  const leases = new LeaseMemory(records, () => drop())
  /** Leases one block. Who asks while it is under way gets the same attempt. */
  const leaseOne = sharing(ATTEMPT_TIMEOUT_MS, now, tryLease, () => false)
  let lookedAt = Number.NEGATIVE_INFINITY

  function drop(): void {
    losses += 1
    open = undefined
  }

  /**
   * Whether the storage has such a list.
   *
   * @throws when the storage did not answer
   */
  async function exists(list: string): Promise<boolean> {
    return (await records.find(list)) !== undefined
  }

  function usable(): OpenList | undefined {
    if (!open) return undefined
    const sinceStart = now() - open.record.hour * HOUR_MS
    return sinceStart >= -GRACE_MS && sinceStart < HOUR_MS + GRACE_MS ? open : undefined
  }

  /** Starts, in the background, what is due. What fails there is due again with the next draw. */
  function tend(): void {
    const list = usable()
    const isCurrent = list?.record.hour === records.hour(lag)
    if (!list || !isCurrent || list.indices.length <= MIN_INDICES_LEFT) leaseNext().catch(() => {})
    // Absolute: a clock can be set back.
    if (Math.abs(now() - lookedAt) < LOOK_EVERY_MS) return
    lookedAt = now()
    look().catch(() => {})
  }

  async function leaseNext(): Promise<void> {
    const before = open
    await leaseOne()
    // Goes on by itself only where it gets on: with a storage that forgets at once, every lease starts
    // another list, and this would never end.
    if (before === undefined || open === before) tend()
  }

  async function tryLease(): Promise<void> {
    await leases.retireForgotten()
    for (let tried = 0; tried < LISTS_TRIED; tried += 1) {
      const lossesBefore = losses
      const list = await findNextList()
      const lease = await leaseIn(list)
      if (!lease) {
        full.add(list.record.list)
        continue
      }
      // Nothing is awaited from the look to the use: the storage may forget meanwhile.
      if ((await isRemembered(list.record)) && losses === lossesBefore) {
        const first = lease.block * BLOCK_SIZE
        for (let n = 0; n < BLOCK_SIZE; n += 1) list.indices.push(first + n)
        leases.add(lease)
        open = list
        return
      }
    }
    throw new Error('the storage adapter leased no block of a status list')
  }

  /** The list of this hour to lease in: the open one, another one that is there, or a new one. */
  async function findNextList(): Promise<OpenList> {
    const hour = records.hour(lag)
    if (open?.record.hour === hour && !full.has(open.record.list)) return open
    if (open && open.record.hour !== hour) full.clear()
    let record = await notFull(hour)
    if (!record) {
      const created = await records.create(hour)
      // Of processes that name a list at the same time, the last is read by all.
      record = (await notFull(hour)) ?? created
    }
    const untried = Array.from({ length: BLOCKS_PER_LIST }, (_, block) => block)
    return { record, indices: [], untried }
  }

  async function notFull(hour: number): Promise<StatusListRecord | undefined> {
    const known = await records.ofHour(hour)
    return known.find(({ list }) => !full.has(list))
  }

  async function leaseIn({ record, untried }: OpenList): Promise<Lease | undefined> {
    for (let tried = 0; tried < MAX_LEASE_TRIES; tried += 1) {
      const block = takeAtRandom(untried)
      const lease = block === undefined ? block : await records.lease(record, block)
      if (lease) return lease
    }
    return undefined
  }

  /**
   * Whether the storage had forgotten nothing when a block of the list was leased: it remembers the
   * lease before, in each list, and by that all before it. The first lease in a list has the list's
   * record to look at.
   */
  async function isRemembered({ list }: StatusListRecord): Promise<boolean> {
    const isFirst = !leases.has(list)
    const [isThere] = await Promise.all([!isFirst || exists(list), leases.look()])
    if (!isThere && open?.record.list === list) drop()
    return isThere
  }

  async function look(): Promise<void> {
    const list = open
    const [isThere] = await Promise.all([list && exists(list.record.list), leases.look()])
    if (!list || open !== list) return
    // Without a record, another process has found that the storage forgot.
    if (!isThere) drop()
    // Two processes that named their lists at once: only one of them was kept.
    else await records.announce(list.record)
  }

  return {
    /**
     * An index that no other draw got or gets, in any process.
     *
     * @throws when the storage did not lease a block, and none is left
     */
    async draw(): Promise<StatusIndex> {
      for (let tried = 0; tried < LISTS_TRIED; tried += 1) {
        const list = usable()
        const index = list && takeAtRandom(list.indices)
        tend()
        if (list && index !== undefined) return { list: list.record.list, index }
        await leaseNext()
      }
      throw new Error('the storage adapter forgets its leases of a status list at once')
    },

    exists,

    /**
     * Whether there is such a list, and the storage has forgotten nothing that this process knows.
     *
     * @throws when the storage did not answer
     */
    async vouchFor(list: string) {
      await leases.look()
      return exists(list)
    },

    /** The names of the lists that have not retired. */
    lists: async () => (await records.live()).map(({ list }) => list),
  }
}

/** Removes a value and returns it; the order of the others changes. */
function takeAtRandom(values: number[]): number | undefined {
  if (values.length === 0) return undefined
  const at = randomInt(values.length)
  const taken = values[at]
  const last = values.pop()
  if (at < values.length && last !== undefined) values[at] = last
  return taken
}

import { hash, randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../adapters/contract.ts'
import { statusBlockId, statusListId } from '../adapters/record.ts'
import { epochSeconds } from '../shared/time.ts'
import { createConsumer } from '../tokens/single-use.ts'
import { MAX_RETENTION_SECONDS } from '../tokens/subject-token.ts'

/** Entries of a status list. Every list has all of them: its size tells nothing. */
export const LIST_SIZE = 2 ** 20
/** Entries that a process leases at once. */
export const BLOCK_SIZE = 512
export const BLOCKS_PER_LIST = LIST_SIZE / BLOCK_SIZE

/** Bytes of randomness in the name of a list. */
const NAME_BYTES = 16
export const HOUR_MS = 3_600_000
/**
 * Seconds that a list is kept beyond the last moment of its last token. Clocks of processes differ,
 * and a token may be issued a little after its index was drawn.
 */
const RETENTION_MARGIN_SECONDS = 300

/** A list, as stored. Without its record there is no such list. */
export interface StatusListRecord {
  readonly list: string
  /** The hour of issue, counted since the epoch. */
  readonly hour: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** When the list retires, in seconds since the epoch. */
  readonly exp: number
}

/** A block that is this process's own. */
export interface Lease {
  readonly list: string
  readonly block: number
  /** Milliseconds since the epoch, before the lease was asked for. */
  readonly leasedAt: number
  /** Until when the storage has to remember it, in seconds since the epoch. */
  readonly exp: number
}

export interface StatusRecordsOptions {
  /** The provider's: providers with other issuers may use the same store. */
  readonly issuer: string
  /** The longest time, in whole seconds, from a draw to the last moment of the token it is for. */
  readonly tokenLife: number
  /**
   * The clock, in milliseconds since the epoch.
   *
   * @defaultValue the clock of the process
   */
  readonly now?: () => number
}

/**
 * What the storage keeps of status lists: a record for each list, for each leased block, and one for
 * each hour that names the lists. They are records of the model `SubjectToken`, under ids that no
 * subject token has, because those have no colon; and without an account, so that they are in no
 * listing.
 *
 * A list is never stored a second time: once its record is gone, the list is gone for good.
 */
export class StatusRecords {
  readonly #adapter: EndingAdapter
  readonly #consumeOnce: ReturnType<typeof createConsumer>
  readonly #options: Required<StatusRecordsOptions>
  /** Providers of other issuers may use the same store. */
  readonly #owner: string

  constructor(adapter: EndingAdapter, options: Required<StatusRecordsOptions>) {
    this.#adapter = adapter
    this.#consumeOnce = createConsumer(adapter, 'adapter')
    this.#options = options
    this.#owner = hash('sha256', options.issuer, 'base64url').slice(0, 22)
  }

  /** The hour that it was so many milliseconds ago, counted since the epoch. */
  hour(ago = 0): number {
    return Math.floor((this.#options.now() - ago) / HOUR_MS)
  }

  /** The lists of this hour that last for tokens of this process, in the order they were named. */
  async ofHour(hour: number): Promise<StatusListRecord[]> {
    const records = await this.#findAll(await this.loadNames(hour))
    return records.filter(({ exp }) => exp >= this.#retiresAt(hour))
  }

  async create(hour: number): Promise<StatusListRecord> {
    const record = {
      list: randomBytes(NAME_BYTES).toString('base64url'),
      hour,
      createdAt: this.#options.now(),
      exp: this.#retiresAt(hour),
    }
    await this.#upsert(statusListId(record.list), record)
    await this.announce(record)
    return record
  }

  /** Names the list where lists of its hour are named, unless it is there. */
  async announce({ list, hour, exp }: StatusListRecord): Promise<void> {
    const id = this.#hourId(hour)
    const found = await this.#adapter.find(id)
    const names = namesIn(found)
    if (names.includes(list)) return
    const until = Math.max(integer(found?.exp) ?? 0, exp)
    await this.#upsert(id, { names: [...names, list], exp: until })
  }

  async find(list: string): Promise<StatusListRecord | undefined> {
    const found = await this.#adapter.find(statusListId(list))
    // A store whose collation ignores case may have found another one.
    if (!found || found.iss !== this.#options.issuer || found.list !== list) return undefined
    const [hour, createdAt, exp] = [found.hour, found.createdAt, found.exp].map(integer)
    if (hour === undefined || createdAt === undefined || exp === undefined) return undefined
    if (exp <= epochSeconds(this.#options.now())) return undefined
    return { list, hour, createdAt, exp }
  }

  /**
   * Every list that has not retired, also of processes whose tokens last longer (what can act can be ended,
   * I14).
   */
  async live(): Promise<StatusListRecord[]> {
    const { now } = this.#options
    // One hour more than the longest retention: the margin is less than that.
    const oldest = Math.floor((now() - MAX_RETENTION_SECONDS * 1000) / HOUR_MS) - 1
    const hours = Array.from({ length: this.hour() + 2 - oldest }, (_, n) => oldest + n)
    const names = await Promise.all(hours.map((hour) => this.loadNames(hour)))
    return this.#findAll(names.flat())
  }

  async destroy(list: string): Promise<void> {
    await this.#adapter.destroy(statusListId(list))
  }

  /**
   * Leases a block of a list. Resolves `undefined` where it is another's.
   * @throws when the storage did not say whose it is
   */
  async lease({ list, hour }: StatusListRecord, block: number): Promise<Lease | undefined> {
    const lease = { list, block, leasedAt: this.#options.now(), exp: this.#retiresAt(hour) }
    const id = statusBlockId(list, block)
    // The block outlives the list, so that as long as there is a list its blocks are known. It is written also
    // where it is another's: the same time for all, so that no process shortens what another one has.
    const exp = ((hour + 1) * HOUR_MS) / 1000 + MAX_RETENTION_SECONDS + 2 * RETENTION_MARGIN_SECONDS
    await this.#upsert(id, { list, block, exp })
    return (await this.#consumeOnce(id, exp)) ? lease : undefined
  }

  /** Whether the lease has had its time: the storage need not remember it any more. */
  isOver(lease: Lease): boolean {
    return lease.exp <= epochSeconds(this.#options.now())
  }

  /** Whether the storage remembers the lease, as long as it has to. */
  async remembers(lease: Lease): Promise<boolean> {
    if (this.isOver(lease)) return true
    return Boolean((await this.#adapter.find(statusBlockId(lease.list, lease.block)))?.consumed)
  }

  #retiresAt(hour: number): number {
    return ((hour + 1) * HOUR_MS) / 1000 + this.#options.tokenLife + RETENTION_MARGIN_SECONDS
  }

  #hourId(hour: number): string {
    return `status-lists:${this.#owner}:${hour}`
  }

  async loadNames(hour: number): Promise<string[]> {
    return namesIn(await this.#adapter.find(this.#hourId(hour)))
  }

  async #findAll(names: readonly string[]): Promise<StatusListRecord[]> {
    const records = await Promise.all(names.map((name) => this.find(name)))
    return records.filter((record) => record !== undefined)
  }

  async #upsert(id: string, record: { exp: number; [member: string]: unknown }): Promise<void> {
    const { issuer, now } = this.#options
    const expiresIn = record.exp - epochSeconds(now())
    await this.#adapter.upsert(id, { iss: issuer, ...record }, expiresIn)
  }
}

/**
 * By what this process knows that the storage has forgotten something: its newest lease in each list. A
 * storage that has gone back in time has lost what is newest first; where lists are on several servers
 * (Redis Cluster), each goes back by itself. A lease that has had its time says nothing any more: lists
 * that are as old may last longer, of the next hour or of processes whose tokens do.
 */
export class LeaseMemory {
  readonly #records: StatusRecords
  readonly #onForgotten: () => void
  /** By list. */
  readonly #newest = new Map<string, Lease>()
  /** The newest lease that the storage has forgotten, until all lists as old are gone. */
  #newestForgotten: Lease | undefined

  /** @param onForgotten runs at once, before anything is awaited */
  constructor(records: StatusRecords, onForgotten: () => void) {
    this.#records = records
    this.#onForgotten = onForgotten
  }

  /** Whether it holds a lease in the list, so that a look speaks of that list, too. */
  has(list: string): boolean {
    return this.#newest.has(list)
  }

  add(lease: Lease): void {
    this.#newest.set(lease.list, lease)
  }

  /**
   * Looks whether the storage remembers the newest lease of each list, and so all before it. Where it
   * does not, the lists that are as old are destroyed.
   *
   * @throws when the storage did not answer: that is no forgetting
   */
  async look(): Promise<void> {
    const leases = [...this.#newest.values()]
    const remembered = await Promise.all(leases.map((lease) => this.#records.remembers(lease)))
    const forgotten = leases.filter((_, index) => !remembered[index])
    for (const lease of leases) {
      const isOver = this.#records.isOver(lease) || forgotten.includes(lease)
      if (isOver && this.#newest.get(lease.list) === lease) this.#newest.delete(lease.list)
    }
    for (const lease of forgotten) {
      if (lease.leasedAt >= (this.#newestForgotten?.leasedAt ?? 0)) this.#newestForgotten = lease
    }
    if (forgotten.length > 0) this.#onForgotten()
    await this.retireForgotten()
  }

  /**
   * Destroys every list that was there before the forgotten lease: the storage may have forgotten
   * ends as well. A list that is newer is of the time after, in this process or another.
   */
  async retireForgotten(): Promise<void> {
    const forgotten = this.#newestForgotten
    if (!forgotten) return
    const live = await this.#records.live()
    const before = live.filter(({ createdAt }) => createdAt <= forgotten.leasedAt)
    const names = new Set([forgotten.list, ...before.map(({ list }) => list)])
    await Promise.all([...names].map((list) => this.#records.destroy(list)))
    for (const list of names) this.#newest.delete(list)
    if (this.#newestForgotten === forgotten) this.#newestForgotten = undefined
  }
}

function namesIn(record: AdapterPayload | undefined): string[] {
  const names: unknown = record?.names
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

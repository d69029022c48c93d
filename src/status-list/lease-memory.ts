import type { Lease, StatusRecords } from './records.ts'

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
  #forgotten: Lease | undefined

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
      if (lease.leasedAt >= (this.#forgotten?.leasedAt ?? 0)) this.#forgotten = lease
    }
    if (forgotten.length > 0) this.#onForgotten()
    await this.retireForgotten()
  }

  /**
   * Destroys every list that was there before the forgotten lease: the storage may have forgotten
   * ends as well. A list that is newer is of the time after, in this process or another.
   */
  async retireForgotten(): Promise<void> {
    const forgotten = this.#forgotten
    if (!forgotten) return
    const before = (await this.#records.live()).filter(
      ({ createdAt }) => createdAt <= forgotten.leasedAt,
    )
    const names = new Set([forgotten.list, ...before.map(({ list }) => list)])
    await Promise.all([...names].map((list) => this.#records.destroy(list)))
    for (const list of names) this.#newest.delete(list)
    if (this.#forgotten === forgotten) this.#forgotten = undefined
  }
}

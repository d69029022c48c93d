import type { Lease, StatusRecords } from './status-records.ts'

/**
 * By what this process knows that the storage has forgotten something: its newest lease. A storage
 * that has gone back in time has lost what is newest first. A lease that has had its time says nothing
 * any more: lists that are as old may last longer, of the next hour or of processes whose tokens do.
 */
export class LeaseMemory {
  readonly #records: StatusRecords
  readonly #onForgotten: () => void
  #latest: Lease | undefined
  /** The newest lease that the storage has forgotten, until all lists as old are gone. */
  #forgotten: Lease | undefined

  /** @param onForgotten runs at once, before anything is awaited */
  constructor(records: StatusRecords, onForgotten: () => void) {
    this.#records = records
    this.#onForgotten = onForgotten
  }

  /** The list of the newest lease. */
  get latestList(): string | undefined {
    return this.#latest?.list
  }

  add(lease: Lease): void {
    this.#latest = lease
  }

  /**
   * Looks whether the storage remembers the newest lease, and so all before it. Where it does not,
   * the lists that are as old are destroyed.
   *
   * @throws when the storage did not answer: that is no forgetting
   */
  async look(): Promise<void> {
    const latest = this.#latest
    if (latest && !(await this.#records.remembers(latest))) {
      if (this.#latest === latest) this.#latest = undefined
      if (latest.leasedAt >= (this.#forgotten?.leasedAt ?? 0)) this.#forgotten = latest
      this.#onForgotten()
    }
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
    if (this.#forgotten === forgotten) this.#forgotten = undefined
  }
}

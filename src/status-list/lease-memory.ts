import type { Lease, StatusRecords } from './records.ts'

export type LeaseMemory = ReturnType<typeof leaseMemory>

/**
 * By what this process knows that the storage has forgotten something: its newest lease in each list. A
 * storage that has gone back in time has lost what is newest first; where lists are on several servers
 * (Redis Cluster), each goes back by itself. A lease that has had its time says nothing any more: lists
 * that are as old may last longer, of the next hour or of processes whose tokens do.
 *
 * @param onForgotten runs at once, before anything is awaited
 */
export function leaseMemory(records: StatusRecords, onForgotten: () => void) {
  /** By list. */
  const newest = new Map<string, Lease>()
  /** The newest lease that the storage has forgotten, until all lists as old are gone. */
  let newestForgotten: Lease | undefined

  /**
   * Destroys every list that was there before the forgotten lease: the storage may have forgotten
   * ends as well. A list that is newer is of the time after, in this process or another.
   */
  async function retireForgotten(): Promise<void> {
    const forgotten = newestForgotten
    if (!forgotten) return
    const before = (await records.live()).filter(({ createdAt }) => createdAt <= forgotten.leasedAt)
    const names = new Set([forgotten.list, ...before.map(({ list }) => list)])
    await Promise.all([...names].map((list) => records.destroy(list)))
    for (const list of names) newest.delete(list)
    if (newestForgotten === forgotten) newestForgotten = undefined
  }

  return {
    retireForgotten,

    /** Whether it holds a lease in the list, so that a look speaks of that list, too. */
    has(list: string): boolean {
      return newest.has(list)
    },

    add(lease: Lease): void {
      newest.set(lease.list, lease)
    },

    /**
     * Looks whether the storage remembers the newest lease of each list, and so all before it. Where it
     * does not, the lists that are as old are destroyed.
     *
     * @throws when the storage did not answer: that is no forgetting
     */
    async look(): Promise<void> {
      const leases = [...newest.values()]
      const remembered = await Promise.all(leases.map((lease) => records.remembers(lease)))
      const forgotten = leases.filter((_, index) => !remembered[index])
      for (const lease of leases) {
        const isOver = records.isOver(lease) || forgotten.includes(lease)
        if (isOver && newest.get(lease.list) === lease) newest.delete(lease.list)
      }
      for (const lease of forgotten) {
        if (lease.leasedAt >= (newestForgotten?.leasedAt ?? 0)) newestForgotten = lease
      }
      if (forgotten.length > 0) onForgotten()
      await retireForgotten()
    },
  }
}

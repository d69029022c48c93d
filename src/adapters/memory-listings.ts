import type { ListedBefore, LookUp } from './contract.ts'
import type { LifecycleKeys } from './record.ts'

/** A record, as far as listings care. */
interface Listed {
  readonly listed: LifecycleKeys | undefined
  /** The operator who redeemed it. */
  readonly actor: string | undefined
  readonly end: unknown
}

const NAMES = ['accountId', 'actor', 'clientId'] as const
type Name = (typeof NAMES)[number]

/** The looks-ups of the memory adapter: which records belong to whom, and which indices have ended. */
export class MemoryListings {
  readonly #all = new Listing()
  // By the value itself: a key of name and value would be put together for each record anew.
  readonly #by: Readonly<Record<Name, Map<string, Listing>>> = {
    accountId: new Map(),
    actor: new Map(),
    clientId: new Map(),
  }
  readonly #ended = new Map<string, Map<number, string>>()

  add(id: string, record: Listed): void {
    const { listed } = record
    if (!listed) return
    this.#all.add(listed.iat, id)
    this.#addTo('accountId', listed.accountId, listed.iat, id)
    this.#addTo('clientId', listed.clientId, listed.iat, id)
    this.#addTo('actor', record.actor ?? listed.actor, listed.iat, id)
    const { statusList, statusIndex } = listed
    if (record.end === undefined || statusList === undefined || statusIndex === undefined) return
    const indices = this.#ended.get(statusList)
    if (indices) indices.set(statusIndex, id)
    else this.#ended.set(statusList, new Map([[statusIndex, id]]))
  }

  /** The record as it was when it was added. */
  remove(id: string, record: Listed): void {
    const { listed } = record
    if (!listed) return
    this.#all.remove(listed.iat, id)
    this.#removeFrom('accountId', listed.accountId, listed.iat, id)
    this.#removeFrom('clientId', listed.clientId, listed.iat, id)
    this.#removeFrom('actor', record.actor ?? listed.actor, listed.iat, id)
    const { statusList, statusIndex } = listed
    if (record.end === undefined || statusList === undefined || statusIndex === undefined) return
    const indices = this.#ended.get(statusList)
    if (indices?.get(statusIndex) === id) indices.delete(statusIndex)
    if (indices?.size === 0) this.#ended.delete(statusList)
  }

  /** Before an operator redeems the record; most redeem what is bound to them, or to none. */
  redeemed(id: string, { listed, actor }: Listed, redeemer: string | undefined): void {
    if (!listed) return
    const before = actor ?? listed.actor
    const after = redeemer ?? listed.actor
    if (before === after) return
    this.#removeFrom('actor', before, listed.iat, id)
    this.#addTo('actor', after, listed.iat, id)
  }

  #addTo(name: Name, value: string | undefined, iat: number, id: string): void {
    if (value === undefined) return
    let listing = this.#by[name].get(value)
    if (!listing) {
      listing = new Listing()
      this.#by[name].set(value, listing)
    }
    listing.add(iat, id)
  }

  #removeFrom(name: Name, value: string | undefined, iat: number, id: string): void {
    const listing = value === undefined ? undefined : this.#by[name].get(value)
    if (!listing || value === undefined) return
    listing.remove(iat, id)
    if (listing.size === 0) this.#by[name].delete(value)
  }

  /** The indices and their records' ids: those of a status list that have ended. */
  ended(list: string): [number, string][] {
    return [...(this.#ended.get(list) ?? [])]
  }

  /** Goes through the shortest listing and asks the others whether they have it too. */
  *newestFirst(lookUp: LookUp, before: ListedBefore | undefined): Generator<string> {
    const listings = [this.#all]
    for (const name of NAMES) {
      const value = lookUp[name]
      if (value === undefined) continue
      const listing = this.#by[name].get(value)
      if (!listing) return
      listings.push(listing)
    }
    const [shortest = this.#all] = listings.toSorted((a, b) => a.size - b.size)
    for (const [iat, id] of shortest.newestFirst(before)) {
      if (listings.every((listing) => listing.has(iat, id))) yield id
    }
  }
}

/** Ids by the second of their issue: seconds in order, the ids of one second in none. */
class Listing {
  /** Ascending. */
  readonly #seconds: number[] = []
  readonly #ids = new Map<number, Set<string>>()
  size = 0

  has(iat: number, id: string): boolean {
    return this.#ids.get(iat)?.has(id) === true
  }

  add(iat: number, id: string): void {
    let ids = this.#ids.get(iat)
    if (!ids) {
      ids = new Set()
      this.#ids.set(iat, ids)
      this.#seconds.splice(this.#position(iat), 0, iat)
    }
    const before = ids.size
    this.size += ids.add(id).size - before
  }

  remove(iat: number, id: string): void {
    const ids = this.#ids.get(iat)
    if (!ids?.delete(id)) return
    this.size -= 1
    if (ids.size > 0) return
    this.#ids.delete(iat)
    this.#seconds.splice(this.#position(iat), 1)
  }

  *newestFirst(before: ListedBefore | undefined): Generator<[number, string]> {
    let at = before === undefined ? this.#seconds.length : this.#position(before.iat + 1)
    for (;;) {
      const second = this.#seconds[at - 1]
      if (second === undefined) return
      const ids = [...(this.#ids.get(second) ?? [])].sort().reverse()
      for (const id of ids) {
        if (before && second === before.iat && id >= before.id) continue
        yield [second, id]
      }
      // Looked up anew: records that have expired are removed while this goes on.
      at = this.#position(second)
    }
  }

  /** Where this second is, or would be. */
  #position(second: number): number {
    let low = 0
    let high = this.#seconds.length
    if (high === 0 || (this.#seconds[high - 1] ?? 0) < second) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#seconds[middle] ?? 0) < second) low = middle + 1
      else high = middle
    }
    return low
  }
}

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

/** The looks-ups of the memory adapter: which records belong to whom, and which indices have ended. */
export class MemoryListings {
  readonly #all = new Listing()
  readonly #by = new Map<string, Listing>()
  readonly #ended = new Map<string, Map<number, string>>()

  add(id: string, record: Listed): void {
    const { listed } = record
    if (!listed) return
    this.#all.add(listed.iat, id)
    for (const key of keysOf(record)) this.#addTo(key, listed.iat, id)
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
    for (const key of keysOf(record)) this.#removeFrom(key, listed.iat, id)
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
    if (before !== undefined) this.#removeFrom(keyOf('actor', before), listed.iat, id)
    if (after !== undefined) this.#addTo(keyOf('actor', after), listed.iat, id)
  }

  #addTo(key: string, iat: number, id: string): void {
    let listing = this.#by.get(key)
    if (!listing) {
      listing = new Listing()
      this.#by.set(key, listing)
    }
    listing.add(iat, id)
  }

  #removeFrom(key: string, iat: number, id: string): void {
    const listing = this.#by.get(key)
    listing?.remove(iat, id)
    if (listing?.size === 0) this.#by.delete(key)
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
      const listing = this.#by.get(keyOf(name, value))
      if (!listing) return
      listings.push(listing)
    }
    const [shortest = this.#all] = listings.toSorted((a, b) => a.size - b.size)
    for (const [iat, id] of shortest.newestFirst(before)) {
      if (listings.every((listing) => listing.has(iat, id))) yield id
    }
  }
}

function keysOf({ listed, actor = listed?.actor }: Listed): string[] {
  const keys: string[] = []
  if (listed?.accountId !== undefined) keys.push(keyOf('accountId', listed.accountId))
  if (listed?.clientId !== undefined) keys.push(keyOf('clientId', listed.clientId))
  if (actor !== undefined) keys.push(keyOf('actor', actor))
  return keys
}

function keyOf(name: (typeof NAMES)[number], value: string): string {
  return `${name}:${value}`
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
    if (ids.has(id)) return
    ids.add(id)
    this.size += 1
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
    const from = before === undefined ? this.#seconds.length : this.#position(before.iat + 1)
    // A copy: records that have expired are removed while this goes on.
    for (const second of this.#seconds.slice(0, from).reverse()) {
      const ids = [...(this.#ids.get(second) ?? [])].sort().reverse()
      for (const id of ids) {
        if (before && second === before.iat && id >= before.id) continue
        yield [second, id]
      }
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

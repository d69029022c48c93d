import type { RemovedFrom } from '../format/checkpoint.ts'
import type { Vouched } from './signatures.ts'

/** What a checkpoint has at a place of a chain. */
export interface VouchedHead {
  readonly hash: string
  /** Of the checkpoint. */
  readonly time: number
}

/**
 * How much later than its time an event may be recorded, in milliseconds: the uses that an API tells,
 * and what a process could not store, can wait for so long.
 */
const MAX_DELAY_MS = 86_400_000

/** An entry. */
interface Numbered {
  readonly writer: string
  readonly sequence: number
}

/** All that checkpoints say together. */
export interface Vouchers {
  headsAt(writer: string, sequence: number): readonly VouchedHead[]
  /** The heads of the checkpoint with the most, for each chain: where it has to reach. */
  readonly ends: ReadonlyMap<string, { readonly sequence: number; readonly time: number }>
  /**
   * What is older than this may be removed, in milliseconds since the epoch, by the checkpoint that says
   * so last of those that say that the entry was removed; `undefined` where none does.
   */
  removedBefore(writer: string, sequence: number): number | undefined
  /** Whether a checkpoint says that anything was removed. */
  readonly haveRemoved: boolean
  /** Whether a checkpoint has both entries, and does not say that the first was removed. */
  haveBoth(first: Numbered, second: Numbered): boolean
  /** The shortest time for which rows were kept, in milliseconds. */
  readonly shortestKept: number
  /** How much later than its time an event may be recorded, in milliseconds. */
  readonly longestDelay: number
  /** Why an entry of that time may not be here: it was put in later. */
  delayProblem(writer: string, sequence: number, time: number | undefined): string | undefined
}

interface Removal extends RemovedFrom {
  readonly before: number
}

export function vouchersOf(checkpoints: readonly Vouched[]): Vouchers {
  const heads = new Map<string, Map<number, VouchedHead[]>>()
  const ends = new Map<string, { sequence: number; time: number }>()
  const removals = new Map<string, Removal[]>()
  for (const { time, before, heads: chains, removed } of checkpoints) {
    for (const { writer, sequence, hash } of chains) {
      const chain = heads.get(writer) ?? new Map<number, VouchedHead[]>()
      heads.set(writer, chain)
      chain.set(sequence, [...(chain.get(sequence) ?? []), { hash, time }])
      if ((ends.get(writer)?.sequence ?? 0) < sequence) ends.set(writer, { sequence, time })
    }
    for (const removal of removed) {
      const { writer } = removal
      removals.set(writer, [...(removals.get(writer) ?? []), { ...removal, before }])
    }
  }

  const whole = wholeOf(checkpoints)
  /** For each writer, of each whole checkpoint, the latest first: see `lowestOf`. */
  const reached = new Map<string, readonly (readonly [time: number, sequence: number])[]>()

  /** The time of the latest checkpoint that does not have the entry. */
  function recordedAfter(writer: string, sequence: number): number {
    const all = reached.get(writer) ?? lowestOf(writer)
    reached.set(writer, all)
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.[1] ?? 0) < sequence) high = middle
      else low = middle + 1
    }
    return all[low]?.[0] ?? 0
  }

  /** Of what each has, and all later ones: so it falls, whatever they say, and can be searched. */
  function lowestOf(writer: string) {
    let lowest = Number.POSITIVE_INFINITY
    return whole.map(({ time, heads }) => {
      lowest = Math.min(lowest, heads.get(writer) ?? 0)
      return [time, lowest] as const
    })
  }

  return {
    headsAt: (writer, sequence) => heads.get(writer)?.get(sequence) ?? [],
    ends,
    removedBefore(writer, sequence) {
      const named = (removals.get(writer) ?? []).filter((removal) => covers(removal, sequence))
      return named.length === 0 ? undefined : Math.max(...named.map(({ before }) => before))
    },
    haveRemoved: removals.size > 0,
    haveBoth: (first, second) =>
      whole.some(({ heads, removed }) => {
        const hasBoth = [first, second].every(({ writer, sequence }) => {
          return (heads.get(writer) ?? 0) >= sequence
        })
        const isRemoved = (one: RemovedFrom) =>
          one.writer === first.writer && covers(one, first.sequence)
        return hasBoth && !removed.some(isRemoved)
      }),
    shortestKept: Math.min(...checkpoints.map(({ time, before }) => time - before)),
    longestDelay: MAX_DELAY_MS,
    delayProblem(writer, sequence, time) {
      const after = recordedAfter(writer, sequence)
      if (time === undefined || time + MAX_DELAY_MS >= after) return undefined
      const [of, since] = [time, after].map((each) => new Date(each).toISOString())
      return `it says that it is of ${of}, but the checkpoint of ${since} does not have it: it was put in later`
    },
  }
}

/** A checkpoint, put together of its parts. */
interface Whole {
  readonly time: number
  readonly parts: number
  /** The parts that are there. */
  readonly has: Set<number>
  readonly heads: Map<string, number>
  readonly removed: RemovedFrom[]
}

/** The checkpoints of which all parts are there, the latest first. */
function wholeOf(checkpoints: readonly Vouched[]): Whole[] {
  const all = new Map<string, Whole>()
  for (const { time, part, parts, heads, removed } of checkpoints) {
    const key = `${time} ${parts}`
    const empty: Whole = { time, parts, has: new Set(), heads: new Map(), removed: [] }
    const one = all.get(key) ?? empty
    all.set(key, one)
    one.has.add(part)
    one.removed.push(...removed)
    for (const { writer, sequence } of heads) {
      one.heads.set(writer, Math.max(one.heads.get(writer) ?? 0, sequence))
    }
  }
  return [...all.values()]
    .filter(({ has, parts }) => has.size === parts)
    .sort((a, b) => b.time - a.time)
}

function covers({ upTo, except }: RemovedFrom, sequence: number): boolean {
  if (sequence > upTo) return false
  let [low, high] = [0, except.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((except[middle]?.[1] ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  const run = except[low]
  return run === undefined || run[0] > sequence
}

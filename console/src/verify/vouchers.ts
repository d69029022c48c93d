import type { SignedRemoval } from '../audit/checkpoint.ts'
import type { Vouched } from './signatures.ts'

/** What a checkpoint has at a place of a chain. */
export interface VouchedHead {
  readonly hash: string
  /** Of the checkpoint. */
  readonly time: number
}

/**
 * What was removed may be younger than a checkpoint says by this, in milliseconds: the clocks of two
 * processes differ, and an export tells also what is removed while it is made.
 */
const TOLERANCE = 86_400_000

/**
 * How much later than its time an event may be recorded, in milliseconds: the uses that an API tells,
 * and what a process could not store, can wait for so long.
 */
const MAX_DELAY = 86_400_000

/** All that checkpoints say together. */
export interface Vouchers {
  headsAt(writer: string, sequence: number): readonly VouchedHead[]
  /** The heads of the checkpoint with the most, for each chain: where it has to reach. */
  readonly ends: ReadonlyMap<string, { readonly sequence: number; readonly time: number }>
  /**
   * Why an entry may not be removed; `undefined` where it may.
   *
   * @param time of the entry, by its digest
   */
  removalProblem(writer: string, sequence: number, time: number | undefined): string | undefined
  /** Why an entry of that time may not be here: it was put in later. */
  delayProblem(writer: string, sequence: number, time: number | undefined): string | undefined
}

interface Removal extends SignedRemoval {
  readonly before: number
}

export function vouchersOf(checkpoints: readonly Vouched[]): Vouchers {
  const heads = new Map<string, Map<number, VouchedHead[]>>()
  const ends = new Map<string, { sequence: number; time: number }>()
  const removals = new Map<string, Removal[]>()
  for (const { time, before = Number.POSITIVE_INFINITY, heads: chains, removed } of checkpoints) {
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
  /** For each writer, the last sequence that each whole checkpoint has, the latest first. */
  const reached = new Map<string, readonly (readonly [time: number, sequence: number])[]>()

  /** The time of the latest checkpoint that does not have the entry. */
  function recordedAfter(writer: string, sequence: number): number {
    const all =
      reached.get(writer) ?? whole.map(({ time, heads }) => [time, heads.get(writer) ?? 0] as const)
    reached.set(writer, all)
    const [time = 0] = all.find(([, head]) => head < sequence) ?? []
    return time
  }

  return {
    headsAt: (writer, sequence) => heads.get(writer)?.get(sequence) ?? [],
    ends,
    removalProblem(writer, sequence, time) {
      const named = (removals.get(writer) ?? []).filter((removal) => covers(removal, sequence))
      if (named.length === 0) {
        return 'its text is missing, and no checkpoint says that it was removed'
      }
      if (time === undefined) return 'its text is missing, and its digest has no time'
      const latest = Math.max(...named.map(({ before }) => before))
      if (time - TOLERANCE <= latest) return undefined
      const [of, until] = [time, latest].map((each) => new Date(each).toISOString())
      return `its text is missing, but it is of ${of}, and only what is older than ${until} was to be removed`
    },
    delayProblem(writer, sequence, time) {
      const after = recordedAfter(writer, sequence)
      if (time === undefined || time + MAX_DELAY >= after) return undefined
      const [of, since] = [time, after].map((each) => new Date(each).toISOString())
      return `it says that it is of ${of}, but the checkpoint of ${since} does not have it: it was put in later`
    },
  }
}

/** What each checkpoint has, of which all parts are there, the latest first. */
function wholeOf(checkpoints: readonly Vouched[]) {
  const all = new Map<
    string,
    { time: number; parts: number; has: Set<number>; heads: Map<string, number> }
  >()
  for (const { time, part, parts, heads } of checkpoints) {
    const key = `${time} ${parts}`
    const one = all.get(key) ?? { time, parts, has: new Set(), heads: new Map() }
    all.set(key, one)
    one.has.add(part)
    for (const { writer, sequence } of heads) {
      one.heads.set(writer, Math.max(one.heads.get(writer) ?? 0, sequence))
    }
  }
  return [...all.values()]
    .filter(({ has, parts }) => has.size === parts)
    .sort((a, b) => b.time - a.time)
}

function covers({ upTo, except }: SignedRemoval, sequence: number): boolean {
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

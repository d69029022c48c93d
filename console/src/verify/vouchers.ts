import type { SignedRemoval } from '../audit/checkpoint.ts'
import type { Vouched } from './signatures.ts'

/** What a checkpoint has at a place of a chain. */
export interface VouchedHead {
  readonly hash: string
  /** Of the checkpoint. */
  readonly time: number
}

/**
 * How much later than its time an event may be recorded, in milliseconds: the uses that an API tells
 * can wait in a queue for so long. What is old when it is recorded may be removed at once.
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
   * @param after the time of an entry before it in its chain
   */
  removalProblem(writer: string, sequence: number, after: number): string | undefined
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

  /** The latest checkpoint that was made before the entry. */
  function recordedAfter(writer: string, sequence: number): number {
    let latest = 0
    for (const [head, vouched] of heads.get(writer) ?? []) {
      if (head >= sequence) continue
      for (const { time } of vouched) latest = Math.max(latest, time)
    }
    return latest
  }

  return {
    headsAt: (writer, sequence) => heads.get(writer)?.get(sequence) ?? [],
    ends,
    removalProblem(writer, sequence, after) {
      const named = (removals.get(writer) ?? []).filter((removal) => covers(removal, sequence))
      if (named.length === 0) {
        return 'its text is missing, and no checkpoint says that it was removed'
      }
      const recorded = Math.max(after, recordedAfter(writer, sequence))
      const latest = Math.max(...named.map(({ before }) => before))
      if (recorded - MAX_DELAY <= latest) return undefined
      const [since, until] = [recorded, latest].map((time) => new Date(time).toISOString())
      return `its text is missing, but it was recorded after ${since}, and only what is older than ${until} was to be removed`
    },
  }
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

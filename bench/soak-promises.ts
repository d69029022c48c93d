import { growth } from './statistics.ts'
import type { Left, Memory } from './storages/storage.ts'

/** Lifetime of a subject token and of an access token here, in seconds. */
export const TTL_S = 5
/**
 * Seconds that a record lives: until the last moment at which an access token of it can be valid
 * anywhere, with a tolerance of 300 s between clocks, and 30 s that a status list is used for.
 */
export const RECORD_LIFE = TTL_S + TTL_S + 330

/** The server at one moment. */
export interface Reading extends Memory {
  /** Milliseconds since the start of the load. */
  readonly at: number
  /** Impersonations that the load has issued and exchanged. */
  readonly cycles: number
}

/** What a soak has seen. */
export interface SoakFigures {
  readonly storage: string
  readonly minutes: number
  readonly readings: readonly Reading[]
  readonly cycles: number
  readonly left: Left
  /** The most records that the load of the last minutes explains. */
  readonly explained: number
  readonly stored: Readonly<Record<string, number>>
  /** The largest number of events that waited to be stored. */
  readonly longestQueue: number
  /** Whether memory was judged, and over how many seconds. */
  readonly judgedSeconds: number | undefined
  /** What was promised and not kept, in words. */
  readonly broken: readonly string[]
}

/** Memory is level where it grows by less than this share of itself, or by so many megabytes. */
export const LEVEL_BOUNDS = { share: 0.1, heap: 8, rss: 32 }
/** A process warms up for so long, in milliseconds: its compiler, its pools, its buffers. */
const WARM_UP_MS = 240_000
/** Readings that a slope needs. */
const MIN_READINGS = 4

/** Says in words which promises of a soak were not kept. */
export function brokenPromises(
  seen: Omit<SoakFigures, 'broken' | 'judgedSeconds'>,
): Pick<SoakFigures, 'broken' | 'judgedSeconds'> {
  const { storage, cycles, left, explained, stored } = seen
  const broken: string[] = []
  for (const name of ['impersonation.issued', 'impersonation.started']) {
    const count = stored[name] ?? 0
    if (count !== cycles) broken.push(`${count} of ${cycles} events ${name} are stored`)
  }
  const others = Object.keys(stored).filter((name) => !/issued$|started$/.test(name))
  for (const name of others) broken.push(`${stored[name]} events ${name}, which nothing asked for`)
  if (left.expired > 0) broken.push(`${left.expired} expired records were not removed`)
  if (left.live > explained) {
    broken.push(`${left.live} records are left, and the load explains ${explained}`)
  }
  const { readings } = seen
  const judged = levelReadings(readings, storage)
  if (judged === undefined) return { broken, judgedSeconds: undefined }
  for (const kind of ['heap', 'rss'] as const) {
    const grown = growthOf(judged, kind)
    // A load that falls leaves memory as large as it was: no leak, although each record has more.
    const isLevel = [judged, perRecord(judged, readings, storage)].some(
      (points) =>
        growthOf(points, kind) <=
        Math.max(LEVEL_BOUNDS.share * meanOf(points, kind), LEVEL_BOUNDS[kind]),
    )
    if (!isLevel) {
      const name = kind === 'heap' ? 'the heap' : 'resident memory'
      const from = meanOf(judged, kind).toFixed(0)
      broken.push(`${name} grew by ${grown.toFixed(1)} MB, from about ${from} MB`)
    }
  }
  const seconds = ((judged.at(-1)?.at ?? 0) - (judged[0]?.at ?? 0)) / 1000
  return { broken, judgedSeconds: seconds }
}

function growthOf(points: readonly Reading[], kind: 'heap' | 'rss'): number {
  return growth(points.map((reading) => ({ at: reading.at, value: reading[kind] })))
}

function meanOf(points: readonly Reading[], kind: 'heap' | 'rss'): number {
  return points.reduce((sum, reading) => sum + reading[kind], 0) / points.length
}

/**
 * The readings of the second half, of a process that is warm; on memory, from when the first
 * records expire. `undefined` where too few are left.
 */
function levelReadings(readings: readonly Reading[], storage: string): Reading[] | undefined {
  const end = readings.at(-1)?.at ?? 0
  const full = storage === 'memory' ? (RECORD_LIFE + 20) * 1000 : WARM_UP_MS
  const judged = readings.filter(({ at }) => at >= Math.max(end / 2, full))
  return judged.length < MIN_READINGS ? undefined : judged
}

/**
 * On memory the records are in the heap, which then follows the load: its size is taken as it would
 * be with the mean number of live records.
 */
function perRecord(
  judged: readonly Reading[],
  readings: readonly Reading[],
  storage: string,
): readonly Reading[] {
  if (storage !== 'memory') return judged
  const live = judged.map((reading) => liveAt(readings, reading))
  const mean = live.reduce((sum, count) => sum + count, 0) / live.length
  return judged.map((reading, index) => {
    const share = mean / (live[index] ?? mean)
    return { ...reading, heap: reading.heap * share, rss: reading.rss * share }
  })
}

function liveAt(readings: readonly Reading[], { at, cycles }: Reading): number {
  const before = readings.findLast((other) => other.at <= at - RECORD_LIFE * 1000)
  return cycles - (before?.cycles ?? 0)
}

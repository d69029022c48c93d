import { warn } from '../../shared/warn.ts'
import type { EndedFollower } from '../contract.ts'
import { chunkNumber, readChunk } from './ended-bits.ts'

/**
 * Follows what ends by reading all chunks of a list, and looking into those that are not as they were. What
 * the server has lost, and has again, is told again.
 *
 * @param readFields the fields of the hash that the chunks are in
 */
export function followEnded(
  list: string,
  readFields: () => Promise<readonly (readonly [string, string])[]>,
): EndedFollower {
  let known: ReadonlyMap<number, string> = new Map()
  /** How many calls have begun, and which of them `known` is of. */
  let [begun, knownBy] = [0, 0]
  let isWarned = false

  function warnOfLoss(chunks: ReadonlyMap<number, string>): void {
    if (isWarned || ![...known].some(([chunk, bits]) => hasLost(chunk, bits, chunks.get(chunk)))) {
      return
    }
    isWarned = true
    warn(
      'REDIS_LOST_ENDS',
      `Redis has lost ends of the status list ${list}: APIs accept what ended just before. Ask for these ends again`,
    )
  }

  return {
    async next() {
      begun += 1
      const turn = begun
      const chunks = chunksIn(await readFields())
      const before = known
      // Of calls at once, the one that began earlier may end later. It has nothing new.
      if (turn < knownBy) return join(chunks, before)
      knownBy = turn
      // A list that is gone altogether is 404, and its guards refuse.
      if (chunks.size > 0) warnOfLoss(chunks)
      known = chunks
      return join(
        [...chunks].filter(([chunk, bits]) => before.get(chunk) !== bits),
        before,
      )
    },
  }
}

/** The chunks of a list by their numbers. */
export function chunksIn(
  fields: readonly (readonly [string, string])[],
): ReadonlyMap<number, string> {
  const chunks = fields.flatMap(([field, bits]): [number, string][] => {
    const chunk = chunkNumber(field)
    return chunk === undefined ? [] : [[chunk, bits]]
  })
  return new Map(chunks)
}

/** @param known what was read of the same chunks before */
export function* join(
  chunks: Iterable<readonly [number, string]>,
  known: ReadonlyMap<number, string> = new Map(),
): Generator<number> {
  for (const [chunk, bits] of chunks) yield* readChunk(chunk, bits, known.get(chunk))
}

function hasLost(chunk: number, before: string, now: string | undefined): boolean {
  if (before === now) return false
  return now === undefined || !readChunk(chunk, before, now).next().done
}

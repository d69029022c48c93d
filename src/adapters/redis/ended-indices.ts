import { warn } from '../../shared/warn.ts'
import type { EndedFollower } from '../contract.ts'

/**
 * The number of indices in one field. A list of 2^20 has 2,048 fields of 86 characters, whatever
 * has ended in it. A whole read is 176 KB.
 */
export const CHUNK_SIZE = 512
/**
 * The bits of each character. Clients read replies as text, so each is an ASCII character from `0`
 * to `o`.
 */
export const BITS = 6
export const ZERO = 48
export const CHUNK_LENGTH = Math.ceil(CHUNK_SIZE / BITS)
export const FIELD_PREFIX = 'ended:'

/** Returns the chunk of a field of the hash; `undefined` for another field. */
function chunkNumber(field: string): number | undefined {
  return /^ended:\d+$/.test(field) ? Number(field.slice(FIELD_PREFIX.length)) : undefined
}

/**
 * Yields the indices of a chunk.
 *
 * @param known - a text whose indices are left out
 * @throws TypeError for a text that no script wrote
 */
function* readChunk(chunk: number, bits: string, known = ''): Generator<number> {
  if (bits.length !== CHUNK_LENGTH)
    throw new TypeError('Redis answered with no part of a status list')
  for (let place = 0; place < CHUNK_LENGTH; place += 1) {
    const before = known === '' ? 0 : known.charCodeAt(place) - ZERO
    const value = (bits.charCodeAt(place) - ZERO) & ~before
    for (let at = 0; at < BITS; at += 1) {
      if (value & (1 << at)) yield chunk * CHUNK_SIZE + place * BITS + at
    }
  }
}

/**
 * Follows ends by reading all chunks of a list, and decoding the changed ones. If the server has
 * lost an end, and has it again, it is reported again.
 *
 * @param readFields - reads the fields of the hash with the chunks
 */
export function followEnded(
  list: string,
  readFields: () => Promise<readonly (readonly [string, string])[]>,
): EndedFollower {
  let known: ReadonlyMap<number, string> = new Map()
  /** The number of calls that have begun, and the one that `known` comes from. */
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
      // An earlier call may finish later. It has nothing new.
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
function chunksIn(fields: readonly (readonly [string, string])[]): ReadonlyMap<number, string> {
  const chunks = fields.flatMap(([field, bits]): [number, string][] => {
    const chunk = chunkNumber(field)
    return chunk === undefined ? [] : [[chunk, bits]]
  })
  return new Map(chunks)
}

/** @param known - an earlier read of the same chunks */
function* join(
  chunks: Iterable<readonly [number, string]>,
  known: ReadonlyMap<number, string> = new Map(),
): Generator<number> {
  for (const [chunk, bits] of chunks) yield* readChunk(chunk, bits, known.get(chunk))
}

function hasLost(chunk: number, before: string, now: string | undefined): boolean {
  if (before === now) return false
  return now === undefined || !readChunk(chunk, before, now).next().done
}

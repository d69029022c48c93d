import { setImmediate as rest } from 'node:timers/promises'
import type { EndedFollower } from '../contract.ts'

/** How many indices are read while the process does nothing else. */
const PART_SIZE = 10_000

/** An ended index, and the number of its end. */
interface EndedRow {
  readonly index: number
  readonly turn: number
}

/**
 * Follows what ends by the number of each end. One process writes at a time, so that an end that is
 * committed later has a higher number.
 *
 * @param readPart the ends after a number, in order, so many at most
 */
export function followEnded(
  readPart: (after: number, limit: number) => readonly EndedRow[],
): EndedFollower {
  let known = 0
  return {
    async next() {
      const indices: number[] = []
      for (let after = known; ; await rest()) {
        const rows = readPart(after, PART_SIZE)
        for (const { index } of rows) indices.push(index)
        after = rows.at(-1)?.turn ?? after
        if (rows.length < PART_SIZE) {
          // Calls may run at once: what is known does not become less.
          known = Math.max(known, after)
          return indices
        }
      }
    },
  }
}

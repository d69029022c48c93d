import { randomInt } from 'node:crypto'
import {
  BLOCK_SIZE,
  BLOCKS_PER_LIST,
  HOUR_MS,
  type Lease,
  type StatusListRecord,
} from './records.ts'

/** How long a list is drawn from before and after its hour, in milliseconds. */
const GRACE_MS = 60_000

/** A list that this process has blocks of. */
export class OpenList {
  readonly record: StatusListRecord
  readonly #indices: number[] = []
  readonly #untried = Array.from({ length: BLOCKS_PER_LIST }, (_, block) => block)
  #isDropped = false

  constructor(record: StatusListRecord) {
    this.record = record
  }

  /** How many indices are leased and not drawn. */
  get left(): number {
    return this.#indices.length
  }

  /** Whether it is never drawn from again. */
  get isDropped(): boolean {
    return this.#isDropped
  }

  /** Whether it is drawn from at this moment, in milliseconds since the epoch. */
  isUsable(now: number): boolean {
    const sinceStart = now - this.record.hour * HOUR_MS
    return !this.#isDropped && sinceStart >= -GRACE_MS && sinceStart < HOUR_MS + GRACE_MS
  }

  /** Draws an index from all blocks that are open. */
  draw(): number | undefined {
    return takeAtRandom(this.#indices)
  }

  /** A block that this process has not tried to lease, while there is one. */
  nextBlock(): number | undefined {
    return takeAtRandom(this.#untried)
  }

  add({ block }: Lease): void {
    for (let n = 0; n < BLOCK_SIZE; n += 1) this.#indices.push(block * BLOCK_SIZE + n)
  }

  drop(): void {
    this.#isDropped = true
  }
}

/** Removes a value and returns it; the order of the others changes. */
function takeAtRandom(values: number[]): number | undefined {
  if (values.length === 0) return undefined
  const at = randomInt(values.length)
  const taken = values[at]
  const last = values.pop()
  if (at < values.length && last !== undefined) values[at] = last
  return taken
}

import { randomInt } from 'node:crypto'
import { BLOCK_SIZE, BLOCKS, type Lease, type StatusListRecord } from './status-records.ts'

/** A list that this process has blocks of. */
export class OpenList {
  readonly record: StatusListRecord
  readonly #indices: number[] = []
  readonly #untried = Array.from({ length: BLOCKS }, (_, block) => block)
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
    this.#indices.length = 0
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

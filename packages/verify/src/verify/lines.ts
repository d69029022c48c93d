import { Broken } from './broken.ts'

/** The longest line, in bytes: a checkpoint is the longest that there is, under 2 MiB. */
const MAX_LENGTH = 8_388_608
const LINE_FEED = 10

/** A line as it was read. Its text is made of the bytes each time: a line that waits takes no more than those. */
export class Line {
  /** From 1. */
  readonly number: number
  readonly #bytes: Buffer
  readonly #start: number
  readonly #end: number

  constructor(number: number, bytes: Buffer, start: number, end: number) {
    this.number = number
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  /** Exports are ASCII. A byte that is not is no character of them. */
  get text(): string {
    return this.#bytes.toString('latin1', this.#start, this.#end)
  }

  get utf8(): string {
    return this.#bytes.toString('utf8', this.#start, this.#end)
  }

  /** In bytes, with its line feed. */
  get length(): number {
    return this.#end - this.#start + 1
  }

  copyTo(bytes: Buffer, start: number): Line {
    this.#bytes.copy(bytes, start, this.#start, this.#end)
    return new Line(this.number, bytes, start, start + this.#end - this.#start)
  }

  startsWith(ascii: Buffer): boolean {
    return this.#hasAt(ascii, this.#start)
  }

  endsWith(ascii: Buffer): boolean {
    return this.#hasAt(ascii, this.#end - ascii.length)
  }

  #hasAt(ascii: Buffer, start: number): boolean {
    for (let index = 0; index < ascii.length; index += 1) {
      if (this.#bytes[start + index] !== ascii[index]) return false
    }
    return true
  }

  /** The text from a byte of the line on, up to a byte with this code. */
  textUntil(code: number, from: number): string {
    const start = this.#start + from
    return this.#bytes.toString('latin1', start, this.#bytes.indexOf(code, start))
  }
}

/** How many bytes of kept lines are in one place. */
const SLAB_LENGTH = 4_194_304

/** Lines that are kept after the next ones are read, in few places: the garbage collector looks at each. */
export class KeptLines {
  #slab = Buffer.alloc(0)
  #used = 0

  keep(line: Line): Line {
    if (this.#used + line.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafe(Math.max(SLAB_LENGTH, line.length))
      this.#used = 0
    }
    const kept = line.copyTo(this.#slab, this.#used)
    this.#used += line.length
    return kept
  }
}

/** Whole lines that were read together. They can be used until the next ones are read. */
export interface Lines {
  readonly lines: readonly Line[]
  /** The same with their line feeds. */
  readonly bytes: Buffer
}

/**
 * The lines of a file that comes in parts, those of each part together: to wait for each line takes longer than
 * to verify it. The last line ends with a line feed, as all do.
 *
 * @param parts may be in the same place one after the other
 */
export async function* readLines(parts: AsyncIterable<Buffer>): AsyncGenerator<Lines> {
  let number = 0
  let rest: readonly Buffer[] = []
  let restLength = 0
  for await (const part of parts) {
    const end = part.lastIndexOf(LINE_FEED) + 1
    let start = 0
    if (end > 0 && restLength > 0) {
      // The line that began in the part before. The others are not copied.
      start = part.indexOf(LINE_FEED) + 1
      yield linesOf(Buffer.concat([...rest, part.subarray(0, start)]))
      ;[rest, restLength] = [[], 0]
    }
    if (end > start) yield linesOf(part.subarray(start, end))
    if (end === part.length) continue
    rest = [...rest, Buffer.from(part.subarray(end))]
    restLength += part.length - end
    if (restLength > MAX_LENGTH) throw new Broken('the line is too long', { line: number + 1 })
  }
  if (restLength > 0)
    throw new Broken('the line has no end: the file is cut off', { line: number + 1 })

  function linesOf(bytes: Buffer): Lines {
    const lines: Line[] = []
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      number += 1
      lines.push(new Line(number, bytes, start, end))
      start = end + 1
    }
    return { lines, bytes }
  }
}

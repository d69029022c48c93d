import { Broken } from './broken.ts'

/** The longest line, in bytes: what an entry may have, with its escapes. */
const MAX_LENGTH = 8_388_608
const LINE_FEED = 10

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/**
 * The lines of a file that comes in parts, those of each part together: to wait for each line takes longer than
 * to verify it. The last line ends with a line feed, as all do.
 *
 * @param parts may be in the same place one after the other
 */
export async function* readLines(parts: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let number = 0
  let rest: readonly Buffer[] = []
  let restLength = 0
  for await (const part of parts) {
    const end = part.lastIndexOf(LINE_FEED) + 1
    if (end > 0) {
      // Exports are ASCII. A byte that is not is no character of them.
      const text = Buffer.concat([...rest, part.subarray(0, end - 1)]).toString('latin1')
      ;[rest, restLength] = [[], 0]
      yield text.split('\n').map((text) => ({ number: ++number, text }))
    }
    if (end === part.length) continue
    rest = [...rest, Buffer.from(part.subarray(end))]
    restLength += part.length - end
    if (restLength > MAX_LENGTH) throw new Broken('the line is too long', { line: number + 1 })
  }
  if (restLength > 0)
    throw new Broken('the line has no end: the file is cut off', { line: number + 1 })
}

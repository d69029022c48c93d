import { Broken } from './broken.ts'

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** The longest line, in UTF-16 units: a checkpoint is the longest that there is, under 2 MiB. */
const MAX_LENGTH = 8_388_608

/**
 * The lines of a text that comes in parts, those of each part together: to wait for each line takes longer than
 * to verify it. The last line ends with a line feed, as all do.
 */
export async function* readLines(parts: AsyncIterable<string>): AsyncGenerator<readonly Line[]> {
  let [number, rest] = [0, '']
  for await (const part of parts) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    const first = number + 1
    number += lines.length
    if (lines.length > 0) yield lines.map((text, index) => ({ number: first + index, text }))
    if (rest.length > MAX_LENGTH) throw new Broken('the line is too long', { line: number + 1 })
  }
  if (rest !== '')
    throw new Broken('the line has no end: the file is cut off', { line: number + 1 })
}

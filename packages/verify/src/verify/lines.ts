import { asciiJson } from '../format/ascii-json.ts'
import { digestParts, isTextOf } from '../format/digest.ts'
import { decodeEntry } from '../format/entry.ts'
import {
  type Guarded,
  isAbsentOr,
  isCount,
  isInteger,
  isListOf,
  isObjectOf,
  isText,
} from '../format/guards.ts'
import { Broken } from './broken.ts'

/** The longest line, in bytes: what an entry may have, with its escapes. */
const MAX_LENGTH = 8_388_608
const LINE_FEED = 10

export const SEAL_FORMAT = /^\{"seal":"([^"\\]*)"/

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
  let rest = Buffer.alloc(0)
  for await (const part of parts) {
    const end = part.lastIndexOf(LINE_FEED) + 1
    if (end > 0) {
      // Exports are ASCII. A byte that is not is no character of them.
      const text = Buffer.concat([rest, part.subarray(0, end - 1)]).toString('latin1')
      rest = Buffer.alloc(0)
      yield text.split('\n').map((text) => ({ number: ++number, text }))
    }
    rest = Buffer.concat([rest, part.subarray(end)])
    if (rest.length > MAX_LENGTH) throw new Broken('the line is too long', { line: number + 1 })
  }
  if (rest.length === 0) return
  throw new Broken('the line has no end: the file is cut off', { line: number + 1 })
}

/** The forms of the lines. Each has one of these members. */
const isContent = isObjectOf({
  entry: isAbsentOr(
    isObjectOf({
      number: isCount,
      digest: isText,
      text: isAbsentOr(isText),
      // In a file that proves one impersonation: the place in the seal before, and the audit path from there to the root.
      index: isAbsentOr(isInteger),
      path: isAbsentOr(isListOf(isText)),
    }),
  ),
  impersonation: isAbsentOr(isObjectOf({ id: isText })),
  record: isAbsentOr(isObjectOf({ id: isText })),
  seal: isAbsentOr(isText),
  // The id of the one impersonation that the file proves, and at the end what the provider signs of it.
  proves: isAbsentOr(isText),
  proof: isAbsentOr(isText),
  end: isAbsentOr(isObjectOf({ entries: isInteger, seals: isInteger })),
})

type Content = Guarded<typeof isContent>

/**
 * Every line is as the export writes it: JSON has several texts for one value, and readers that differ
 * would be told different things, for example where a member is there twice.
 *
 * @throws Broken
 */
export function parse({ text, number: line }: Line): Content {
  const value = json(text)
  if (!isContent(value) || Object.keys(value).length !== 1) {
    throw new Broken('this is no line of an export', { line })
  }
  if (asciiJson(value) === text) return value
  throw new Broken('this line is not as the export writes it', { line })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type ReadEntry = ReturnType<typeof readEntry>

/** Checks the digest of an entry, and decodes its text. @throws Broken */
export function readEntry(entry: NonNullable<Content['entry']>, line: number) {
  const { number, digest, text } = entry
  const parts = digestParts(digest)
  if (!parts) throw new Broken('its digest is none', { entry: number, line })
  if (text !== undefined && !isTextOf(text, digest)) {
    throw new Broken('its text is not the one that was recorded', { entry: number, line })
  }
  // Without `reported`, the text is removed, or of a newer version.
  return { ...entry, ...parts, reported: text === undefined ? undefined : decodeEntry(text) }
}

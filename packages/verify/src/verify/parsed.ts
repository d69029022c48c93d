import { asciiJson } from '../format/ascii-json.ts'
import { type DigestParts, digestParts, isTextOf } from '../format/digest.ts'
import { type AuditEntry, decodeEntry } from '../format/entry.ts'
import { isAbsentOr, isCount, isInteger, isListOf, isObjectOf, isText } from '../format/guards.ts'
import { isPlainObject } from '../format/plain-object.ts'
import { Broken } from './broken.ts'
import type { Line } from './lines.ts'

/** An entry, as a line has it. */
export interface Entry {
  readonly number: number
  readonly digest: string
  readonly text?: string | undefined
}

/** An entry in a file that proves one impersonation. */
export interface ProvedEntry extends Entry {
  /** The number of its seal. */
  readonly seal: number
  /** Its place among the entries of the seal, and the audit path from there to the root. */
  readonly index: number
  readonly path: readonly string[]
}

/** What an entry is. */
export interface ReadEntry extends DigestParts, Entry {
  /** What the text says: `undefined` where it is removed, or of a newer version. */
  readonly reported: AuditEntry | undefined
}

/** What a line is. */
export type Parsed =
  | { readonly kind: 'entry'; readonly entry: Entry | ProvedEntry }
  | {
      readonly kind: 'impersonation' | 'record'
      readonly sum: { readonly id: string }
      readonly first: number | undefined
    }
  | { readonly kind: 'proof'; readonly jws: string }
  | { readonly kind: 'seal'; readonly jws: string }
  | { readonly kind: 'end'; readonly entries: number; readonly seals: number }

/**
 * Every line is as the export writes it: JSON has several texts for one value, and readers that differ
 * would be told different things, for example where a member is there twice.
 *
 * @throws Broken
 */
export function parse({ text, number: line }: Line): Parsed {
  const value = json(text)
  const parsed = isPlainObject(value) ? parseKind(value) : undefined
  if (!parsed) throw new Broken('this is no line of an export', { line })
  if (asciiJson(value) === text) return parsed
  throw new Broken('this line is not as the export writes it', { line })
}

function parseKind(value: Readonly<Record<string, unknown>>): Parsed | undefined {
  if (isEntry(value)) return { kind: 'entry', entry: value }
  const { impersonation, record, seal, proof, end, first } = value
  if (isNamed(impersonation)) return { kind: 'impersonation', sum: impersonation, first: undefined }
  if (isNamed(record) && isCount(first)) return { kind: 'record', sum: record, first }
  if (isText(seal)) return { kind: 'seal', jws: seal }
  if (isText(proof)) return { kind: 'proof', jws: proof }
  return isEnd(end) ? { kind: 'end', ...end } : undefined
}

/** @throws Broken */
export function readEntry(entry: Entry, line: number): ReadEntry {
  const { number, digest, text } = entry
  const parts = digestParts(digest)
  if (!parts) throw new Broken('its digest is none', { entry: number, line })
  if (text !== undefined && !isTextOf(text, digest)) {
    throw new Broken('its text is not the one that was recorded', { entry: number, line })
  }
  return { ...entry, ...parts, reported: text === undefined ? undefined : decodeEntry(text) }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEntry = isObjectOf<Entry>({ number: isCount, digest: isText, text: isAbsentOr(isText) })

export const isProvedEntry = isObjectOf<ProvedEntry>({
  ...{ number: isCount, digest: isText, text: isAbsentOr(isText) },
  ...{ seal: isCount, index: isInteger, path: isListOf(isText) },
})

const isNamed = isObjectOf<{ readonly id: string }>({ id: isText })
const isEnd = isObjectOf<{ readonly entries: number; readonly seals: number }>({
  entries: isInteger,
  seals: isInteger,
})

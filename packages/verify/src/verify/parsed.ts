import { asciiJson } from '../format/ascii-json.ts'
import type { ChainHead } from '../format/checkpoint.ts'
import { fits, objectOf, optional, text, wholeNumber } from '../format/parsers.ts'
import { isPlainObject } from '../format/plain-object.ts'
import type { AuditRow } from '../format/row.ts'
import type { NamedEntry } from '../format/row-line.ts'
import { Broken } from './broken.ts'
import type { Line } from './lines.ts'

/** An entry of a chain, as a line has it. */
export interface Entry {
  readonly writer: string
  readonly sequence: number
  readonly hash: string
  readonly digest: string
  readonly text?: string | undefined
  readonly row?: string | undefined
  readonly count?: number | undefined
  readonly lastTime?: number | undefined
}

/** A row, or more entries of the row before. */
export interface RowPart {
  readonly row?: AuditRow | { readonly id: string }
  readonly entries: readonly NamedEntry[]
  readonly misfiled?: true
}

/** A permit, with all its entries. */
export interface PermitPart {
  readonly permit: { readonly id: string }
  readonly entries: readonly NamedEntry[]
}

/** What a line is, in the order of a file. */
export type Parsed =
  | { readonly kind: 'only'; readonly row: string }
  | { readonly kind: 'head'; readonly head: ChainHead }
  | { readonly kind: 'row'; readonly part: RowPart }
  | { readonly kind: 'permit'; readonly part: PermitPart }
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'checkpoint'; readonly jws: string }

const anyText = text(0, Number.POSITIVE_INFINITY)
const count = wholeNumber(1, Number.MAX_SAFE_INTEGER)

const isHead = fits(objectOf<ChainHead>({ writer: anyText, sequence: count, hash: anyText }))
const isEntry = fits(
  objectOf<Entry>({
    writer: anyText,
    sequence: count,
    hash: anyText,
    digest: anyText,
    text: optional(anyText),
    row: optional(anyText),
    count: optional(count),
    lastTime: optional(count),
  }),
)
const isCount = fits(count)

/** How a line with a checkpoint begins, and no other. */
const CHECKPOINT_FORMAT = '{"checkpoint":'

export function isCheckpoint({ text }: Line): boolean {
  return text.startsWith(CHECKPOINT_FORMAT)
}

/**
 * Every line is as the export writes it: JSON has several texts for one value, and readers that differ
 * would be told different things, for example where a member is there twice.
 *
 * @param isSigned whether the provider signed the line as it is: then it wrote it
 * @throws Broken
 */
export function parse(line: Line, isSigned = false): Parsed {
  const value = json(line.text)
  const parsed = parseKind(value, line)
  if (isSigned || asciiJson(value) === line.text) return parsed
  throw new Broken('this line is not as the export writes it', { line: line.number })
}

function parseKind(value: unknown, line: Line): Parsed {
  if (isPlainObject(value)) {
    const { checkpoint, head, only } = value
    const names = Object.keys(value)
    if (typeof checkpoint === 'string' && names.length === 1) {
      return { kind: 'checkpoint', jws: checkpoint }
    }
    if (typeof only === 'string' && names.length === 1 && line.number === 1) {
      return { kind: 'only', row: only }
    }
    if (names.length === 1 && isHead(head)) return { kind: 'head', head }
    if (isPermitPart(value)) return { kind: 'permit', part: value }
    if (isRowPart(value)) return { kind: 'row', part: value }
    if (isEntry(value)) return { kind: 'entry', entry: value }
  }
  const what = isCheckpoint(line) ? 'checkpoint' : 'entry'
  throw new Broken(`this is no ${what}`, { line: line.number })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRowPart(value: object): value is RowPart {
  const { row, entries, misfiled }: Partial<Record<keyof RowPart, unknown>> = value
  return (
    (row === undefined || (isPlainObject(row) && typeof row.id === 'string')) &&
    Array.isArray(entries) &&
    entries.every(isNamedEntry) &&
    (misfiled === undefined || (misfiled === true && row !== undefined))
  )
}

function isPermitPart(value: object): value is PermitPart {
  const { permit, entries }: Partial<Record<keyof PermitPart, unknown>> = value
  return (
    isPlainObject(permit) &&
    typeof permit.id === 'string' &&
    Array.isArray(entries) &&
    entries.every(isNamedEntry) &&
    !('row' in value)
  )
}

function isNamedEntry(value: unknown): value is NamedEntry {
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 4)) return false
  const [writer, ...numbers] = value
  return typeof writer === 'string' && numbers.every(isCount)
}

import { asciiJson } from '../format/ascii-json.ts'
import type { ChainHead } from '../format/checkpoint.ts'
import type { StoredRow } from '../format/found.ts'
import { isAbsentOr, isCount, isListOf, isObjectOf, isText } from '../format/guards.ts'
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
}

/** A permit, with all its entries. */
export interface PermitPart {
  readonly permit: { readonly id: string }
  readonly entries: readonly NamedEntry[]
}

/** What the line of a row tells before it is looked into. */
export interface RowStart {
  /** `undefined`: the line has more entries of the row before. */
  readonly id: string | undefined
  readonly hasEntries: boolean
}

/** What a line is, in the order of a file. */
export type Parsed =
  | { readonly kind: 'only'; readonly row: string }
  | { readonly kind: 'head'; readonly head: ChainHead }
  | { readonly kind: 'row'; readonly start: RowStart }
  | { readonly kind: 'permit'; readonly part: PermitPart }
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'checkpoint'; readonly jws: string }

/** How a line with a checkpoint begins, and no other. */
const CHECKPOINT_FORMAT = Buffer.from('{"checkpoint":')

export function isCheckpoint(line: Line): boolean {
  return line.startsWith(CHECKPOINT_FORMAT)
}

/**
 * Every line is as the export writes it: JSON has several texts for one value, and readers that differ
 * would be told different things, for example where a member is there twice.
 *
 * @param isSigned whether the provider signed the line as it is: then it wrote it
 * @throws Broken
 */
export function parse(line: Line, isSigned = false): Parsed {
  const start = isSigned ? rowStartIn(line) : undefined
  if (start) return { kind: 'row', start }
  const { text } = line
  const value = json(text)
  const parsed = parseKind(value, line)
  if (isSigned || asciiJson(value) === text) return parsed
  throw new Broken('this line is not as the export writes it', { line: line.number })
}

function parseKind(value: unknown, line: Line): Parsed {
  if (isPlainObject(value)) {
    if (isEntry(value)) return { kind: 'entry', entry: value }
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
    if (isRowPart(value)) return { kind: 'row', start: rowStartOf(value) }
  }
  const what = isCheckpoint(line) ? 'checkpoint' : 'entry'
  throw new Broken(`this is no ${what}`, { line: line.number })
}

/** How a line with a row begins, and how the entries in it do. */
const ROW_FORMAT = '{"row":'
const ENTRIES_FORMAT = '"entries":'
const ID_FORMAT = Buffer.from(`${ROW_FORMAT}{"id":"`)
/** An entry is a list in the list, and nothing comes after it. */
const END_FORMAT = Buffer.from(']]}')
const QUOTE = 34

/** Of a line that is as the export writes it; `undefined` where it has to be parsed. */
function rowStartIn(line: Line): RowStart | undefined {
  if (!line.startsWith(ID_FORMAT) || !line.endsWith(END_FORMAT)) return undefined
  const id = line.textUntil(QUOTE, ID_FORMAT.length)
  return id.includes('\\') ? undefined : { id, hasEntries: true }
}

function rowStartOf({ row, entries }: RowPart): RowStart {
  return { id: row?.id, hasEntries: entries.length > 0 }
}

/**
 * @param line of a row, or with more of its entries
 * @throws Broken
 */
export function namedEntriesOf(line: Line): readonly NamedEntry[] {
  const { text } = line
  const entries = json(text.slice(text.lastIndexOf(ENTRIES_FORMAT) + ENTRIES_FORMAT.length, -1))
  if (Array.isArray(entries) && entries.every(isNamedEntry)) return entries
  throw new Broken('this is no entry', { line: line.number })
}

/** Whether the row of a line is this one, to the letter. */
export function hasRow({ text }: Line, row: StoredRow): boolean {
  return text.startsWith(asciiJson(row), ROW_FORMAT.length)
}

/** The row or permit of a line. */
export function rowIn(line: Line): object {
  const value = json(line.text)
  if (isPlainObject(value)) {
    if (isPlainObject(value.row)) return value.row
    if (isPlainObject(value.permit)) return value.permit
  }
  throw new Broken('this is no entry', { line: line.number })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** In a line, as in a link, the sequence is 1 or more. */
const link = { writer: isText, sequence: isCount, hash: isText }
const isHead = isObjectOf<ChainHead>(link)

const isEntry = isObjectOf<Entry>({
  ...link,
  digest: isText,
  text: isAbsentOr(isText),
  row: isAbsentOr(isText),
  count: isAbsentOr(isCount),
  lastTime: isAbsentOr(isCount),
})

const isNamed = isObjectOf<{ readonly id: string }>({ id: isText })

const isRowPart = isObjectOf<RowPart>({
  row: isAbsentOr(isNamed),
  entries: isListOf(isNamedEntry),
})

const isPermitPart = isObjectOf<PermitPart & { readonly row: undefined }>({
  permit: isNamed,
  entries: isListOf(isNamedEntry),
  row: (value) => value === undefined,
})

function isNamedEntry(value: unknown): value is NamedEntry {
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 4)) return false
  const [writer, ...numbers] = value
  return isText(writer) && numbers.every(isCount)
}

import { isDeepStrictEqual } from 'node:util'
import type { AuditRecord } from '../format/audit-record.ts'
import { isAboutPermit } from '../format/entry.ts'
import { sumWith } from '../format/fold.ts'
import { storedRowOf } from '../format/found.ts'
import { foldRecord, storedRecordOf } from '../format/record.ts'
import type { AuditRow } from '../format/row.ts'
import { slotOf } from '../format/slots.ts'
import { Broken } from './broken.ts'
import type { Parsed, ReadEntry } from './parsed.ts'

/** What the entries so far say of an impersonation or a permit. */
interface State {
  /** The number of its first entry. */
  readonly first: number
  line: number
  row: AuditRow | undefined
  permit: AuditRecord | undefined
  /** Whether it has an entry that this version cannot read. */
  isUnproved: boolean
}

type SumLine = Extract<Parsed, { readonly kind: 'impersonation' | 'record' }>

/** Compares the sums of an export with those of the entries, which come first. */
export class Sums {
  rows = 0
  permits = 0
  /** How many could not be compared. */
  unproved = 0
  /** Those whose last entry is not read yet: most are soon over. */
  readonly #open = new Map<string, State>()
  readonly #last: ReadonlyMap<string, number>

  /** @param last of each, the number of the entry after which it comes the last time */
  constructor(last: ReadonlyMap<string, number>) {
    this.#last = last
  }

  /** @throws Broken */
  add({ number, reported, text }: ReadEntry, id: string, line: number): void {
    if (text === undefined) return
    const last = this.#last.get(id)
    if (last !== undefined && number > last) {
      throw new Broken(`the sum of ${id} does not have it`, { entry: number, line })
    }
    const state = this.#open.get(id) ?? {
      ...{ first: number, line, row: undefined, permit: undefined, isUnproved: false },
    }
    this.#open.set(id, state)
    state.line = line
    if (!reported) state.isUnproved = true
    else if (!isAboutPermit(reported)) state.row = sumWith(state.row, id, reported)
    else state.permit = foldedPermit(state.permit, reported)
  }

  /** Its texts were removed. @returns whether it was on hold, by those that were still there */
  remove(id: string): boolean {
    const isHeld = this.#open.get(id)?.row?.hold?.isHeld === true
    this.#open.delete(id)
    return isHeld
  }

  /** @param after the entry before it @throws Broken */
  addSum({ kind, sum, first }: SumLine, after: ReadEntry | undefined, line: number): void {
    const { id } = sum
    const what = kind === 'record' ? `the permit ${id}` : `the row of impersonation ${id}`
    const broken = (why: string) => new Broken(`${what}: ${why}`, { line })
    const state = this.#open.get(id)
    if (after?.subject !== id || !state) throw broken('no entry tells of it here')
    const isLast = this.#last.get(id) === after.number
    if (isLast) this.#open.delete(id)
    if (isLast) this[kind === 'record' ? 'permits' : 'rows'] += 1
    if (state.isUnproved) {
      this.unproved += isLast ? 1 : 0
      return
    }
    if (first !== undefined && first !== state.first) {
      throw broken(`its first entry is ${state.first}, and not ${first}`)
    }
    const right = kind === 'record' ? rightPermit(state, sum) : rightRow(state)
    const difference = differenceOf(right, { ...sum })
    if (difference !== undefined) throw broken(`its ${difference} is not what its entries say`)
  }

  /** @throws Broken */
  finish(): void {
    for (const [id, { line }] of this.#open) {
      throw new Broken(`the sum of ${id}, which this entry is about, is missing`, { line })
    }
  }
}

/** An entry that does not fit is in no permit: the audit refused it. */
function foldedPermit(permit: AuditRecord | undefined, entry: Parameters<typeof foldRecord>[1]) {
  try {
    return foldRecord(permit, entry)
  } catch {
    return undefined
  }
}

const rightRow = ({ row, permit }: State): Members => ({ ...(row && !permit && storedRowOf(row)) })

/** @param stored a later version may write `data` in another order */
function rightPermit({ row, permit }: State, stored: object): Members {
  if (!permit || row) return {}
  const right = storedRecordOf(permit, slotOf(permit))
  const data: unknown = Reflect.get(stored, 'data')
  return { ...right, ...(isSameJson(data, right.data) && { data }) }
}

function isSameJson(stored: unknown, right: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(String(stored)), JSON.parse(right))
  } catch {
    return false
  }
}

type Members = Readonly<Record<string, unknown>>

/** The first member in which they differ. The sum was read from JSON. */
function differenceOf(right: Members, sum: Members): string | undefined {
  const differs = (name: string) => !isSame(right[name], sum[name])
  return (
    Object.keys(right).find(differs) ?? Object.keys(sum).find((name) => !Object.hasOwn(right, name))
  )
}

function isSame(right: unknown, stored: unknown): boolean {
  if (right === stored) return true
  const text: string | undefined = JSON.stringify(right)
  // The order of members may differ.
  return text !== undefined && isDeepStrictEqual(JSON.parse(text), stored)
}

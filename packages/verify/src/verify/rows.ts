import { isDeepStrictEqual } from 'node:util'
import type { AuditEntry } from '../format/entry.ts'
import { sumWith } from '../format/fold.ts'
import { storedRowOf } from '../format/found.ts'
import type { AnyPermit } from '../format/permit.ts'
import type { AuditRow } from '../format/row.ts'
import type { NamedEntry } from '../format/row-line.ts'
import { Broken } from './broken.ts'
import { broken } from './chains.ts'
import { KeptLines, type Line } from './lines.ts'
import {
  type Entry,
  hasRow,
  namedEntriesOf,
  type PermitPart,
  type RowStart,
  rowIn,
} from './parsed.ts'
import { addToPermit, rightPermit } from './permits.ts'

/** A row or permit. There may be very many that wait for their entries: these are no more than their lines. */
interface State {
  readonly isPermit: boolean
  /** The first one, which has the row, and those with more of its entries. */
  readonly lines: [Line, ...Line[]]
  /** The entries that it names: `undefined` until the first of them is read. */
  named: readonly NamedEntry[] | undefined
  /** How many of them are read. */
  read: number
  /** The sum of these. */
  sum: AuditRow | undefined
  /** The same of a permit. */
  permit: AnyPermit | undefined
  /**
   * - `done`: it is the sum of its entries.
   * - `removed`: its entries were removed after it was read.
   * - `unproved`: it has an entry that this version cannot read.
   */
  is: 'done' | 'open' | 'removed' | 'unproved'
}

/** Compares the rows of an export, which come first, with the sums of the entries that they name. */
export class Rows {
  readonly #states = new Map<string, State>()
  /** How far every row has its entries: the last sequence of each writer. */
  readonly #first = new Map<string, number>()
  readonly #kept = new KeptLines()
  #last: State | undefined
  #unproved = 0
  #permits = 0

  get size(): number {
    return this.#states.size - this.#permits
  }

  get permits(): number {
    return this.#permits
  }

  /** How many rows and permits could not be compared. */
  get unproved(): number {
    return this.#unproved
  }

  addHead({ writer, sequence }: { readonly writer: string; readonly sequence: number }): void {
    this.#first.set(writer, sequence)
  }

  /** @throws Broken */
  addPart({ id, hasEntries }: RowStart, read: Line): void {
    const line = read.number
    if (id === undefined) {
      if (!this.#last) throw new Broken('this line is not in its place', { line })
      this.#last.lines.push(this.#kept.keep(read))
      return
    }
    if (!hasEntries) throw rowBroken(id, line, 'no entry tells of it')
    if (this.#states.has(id)) throw rowBroken(id, line, 'it is there twice')
    this.#last = this.#add(id, read, false)
  }

  /** @throws Broken */
  addPermit({ permit, entries }: PermitPart, read: Line): void {
    const { id } = permit
    const line = read.number
    if (entries.length === 0) throw permitBroken(id, line, 'no entry tells of it')
    const before = this.#states.get(id)
    if (before && !before.isPermit) {
      throw permitBroken(id, line, 'an impersonation has the same id')
    }
    if (!before) this.#permits += 1
    this.#add(id, read, true)
  }

  #add(id: string, read: Line, isPermit: boolean): State {
    const state: State = {
      ...{ isPermit, lines: [this.#kept.keep(read)], named: undefined, read: 0 },
      ...{ sum: undefined, permit: undefined, is: 'open' },
    }
    this.#states.set(id, state)
    return state
  }

  /**
   * @param reported what the text says: `undefined` where it is removed, or of a newer version
   * @throws Broken
   */
  addEntry(entry: Entry, reported: AuditEntry | undefined, id: string, line: number): void {
    const state = this.#states.get(id)
    const open = state?.is === 'open' ? state : undefined
    if (open) open.named ??= open.lines.flatMap(namedEntriesOf)
    const next = open?.named?.[open.read]
    const isNamed = next?.[0] === entry.writer && next[1] === entry.sequence
    if (entry.text === undefined) {
      // All entries of a row are removed at once.
      if (open && isNamed) open.is = 'removed'
    } else if (open && isNamed) {
      this.#addNamed(open, next, reported, id)
    } else if (state?.is !== 'removed' && state?.is !== 'unproved') {
      if (open) assertNotLater(open, entry, line)
      const isDue = entry.sequence <= (this.#first.get(entry.writer) ?? 0)
      const why = state ? 'does not have it' : 'is missing'
      if (isDue) throw broken(`the row of its impersonation ${why}: ${id}`, entry, line)
    }
  }

  /** @throws Broken */
  finish(): void {
    for (const [id, state] of this.#states) {
      if (state.is === 'open') throw stateBroken(id, state, 'it names an entry that is not there')
    }
  }

  #addNamed(state: State, named: NamedEntry, reported: AuditEntry | undefined, id: string): void {
    if (!reported) {
      state.is = 'unproved'
      this.#unproved += 1
      return
    }
    const [, , count = 1, lastTime = reported.timeMs] = named
    if (state.isPermit) state.permit = addToPermit(state.permit, id, reported)
    else state.sum = sumWith(state.sum, id, { entry: reported, count, lastTime })
    state.read += 1
    if (state.read === state.named?.length) finishState(state, id)
  }
}

function finishState(state: State, id: string): void {
  const { sum, permit, isPermit, lines } = state
  ;[state.is, state.named, state.sum] = ['done', undefined, undefined]
  const right = sum && storedRowOf(sum)
  if (right && hasRow(lines[0], right)) return
  const row = rowIn(lines[0])
  const difference = differenceOf({ ...(isPermit ? rightPermit(permit, row) : right) }, { ...row })
  if (difference === undefined) return
  throw stateBroken(id, state, `its ${difference} is not what its entries say`)
}

/** A row names its entries in the order of the file. */
function assertNotLater({ named = [], read }: State, entry: Entry, line: number): void {
  const isLater = named.some(
    ([writer, sequence], index) =>
      index > read && writer === entry.writer && sequence === entry.sequence,
  )
  const [writer, sequence] = named[read] ?? []
  if (!isLater) return
  throw new Broken('it is missing, but the row of its impersonation has it', {
    ...{ writer, sequence, line },
  })
}

type Members = Readonly<Record<string, unknown>>

/** The first member in which they differ. The row was read from JSON. */
function differenceOf(sum: Members, row: Members): string | undefined {
  const differs = (name: string) => !isSame(sum[name], row[name])
  return (
    Object.keys(sum).find(differs) ?? Object.keys(row).find((name) => !Object.hasOwn(sum, name))
  )
}

function isSame(right: unknown, stored: unknown): boolean {
  if (right === stored) return true
  const text: string | undefined = JSON.stringify(right)
  if (text === JSON.stringify(stored)) return true
  // The order of members may differ.
  return text !== undefined && isDeepStrictEqual(JSON.parse(text), stored)
}

function stateBroken(id: string, { isPermit, lines }: State, message: string): Broken {
  return (isPermit ? permitBroken : rowBroken)(id, lines[0].number, message)
}

function permitBroken(id: string, line: number, message: string): Broken {
  return new Broken(`the permit ${id}: ${message}`, { line })
}

function rowBroken(id: string, line: number, message: string): Broken {
  return new Broken(`the row of impersonation ${id}: ${message}`, { line })
}

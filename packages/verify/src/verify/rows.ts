import { isDeepStrictEqual } from 'node:util'
import type { AuditEntry } from '../format/entry.ts'
import { fold } from '../format/fold.ts'
import type { AnyPermit } from '../format/permit.ts'
import type { AuditRow } from '../format/row.ts'
import type { NamedEntry } from '../format/row-line.ts'
import { Broken } from './broken.ts'
import { broken } from './chains.ts'
import type { Entry, PermitPart, RowPart } from './parsed.ts'
import { addToPermit, rightPermit } from './permits.ts'

/** A row that is not compared yet, as short as it can be: there may be very many. */
interface Waiting {
  /** Of the file. */
  readonly line: number
  /** The row, and the entries that it names, as JSON. */
  readonly row: string
  readonly parts: string[]
}

/** A row of which some entries are read. */
interface Begun {
  readonly line: number
  readonly row: string
  readonly named: readonly NamedEntry[]
  /** How many of them are read. */
  read: number
  /** The sum of these. */
  sum: AuditRow | undefined
  /** The same of a permit. */
  permit: AnyPermit | undefined
}

/**
 * - `done`: it is the sum of its entries.
 * - `removed`: its entries were removed after it was read.
 * - `unproved`: it has an entry that this version cannot read.
 */
type State = Waiting | Begun | 'done' | 'removed' | 'unproved'

/** Compares the rows of an export, which come first, with the sums of the entries that they name. */
export class Rows {
  readonly #states = new Map<string, State>()
  /** How far every row has its entries: the last sequence of each writer. */
  readonly #first = new Map<string, number>()
  #last: Waiting | undefined
  #unproved = 0
  /** The ids of those that are permits. */
  readonly #permits = new Set<string>()

  get size(): number {
    return this.#states.size - this.#permits.size
  }

  get permits(): number {
    return this.#permits.size
  }

  /** How many rows and permits could not be compared. */
  get unproved(): number {
    return this.#unproved
  }

  addHead({ writer, sequence }: { readonly writer: string; readonly sequence: number }): void {
    this.#first.set(writer, sequence)
  }

  /** @throws Broken */
  addPart({ row, entries, misfiled }: RowPart, line: number): void {
    if (!row) {
      if (!this.#last) throw new Broken('this line is not in its place', { line })
      this.#last.parts.push(JSON.stringify(entries))
      return
    }
    if (misfiled) {
      throw rowBroken(row.id, line, 'the storage does not find it by what it is, or cannot read it')
    }
    if (entries.length === 0) throw rowBroken(row.id, line, 'no entry tells of it')
    if (this.#states.has(row.id)) throw rowBroken(row.id, line, 'it is there twice')
    this.#last = { line, row: JSON.stringify(row), parts: [JSON.stringify(entries)] }
    this.#states.set(row.id, this.#last)
  }

  /** @throws Broken */
  addPermit({ permit, entries }: PermitPart, line: number): void {
    const { id } = permit
    if (entries.length === 0) throw permitBroken(id, line, 'no entry tells of it')
    if (this.#states.has(id) && !this.#permits.has(id)) {
      throw permitBroken(id, line, 'an impersonation has the same id')
    }
    this.#permits.add(id)
    this.#states.set(id, {
      ...{ line, row: JSON.stringify(permit), parts: [JSON.stringify(entries)] },
    })
  }

  /**
   * @param reported what the text says: `undefined` where it is removed, or of a newer version
   * @throws Broken
   */
  addEntry(entry: Entry, reported: AuditEntry | undefined, id: string, line: number): void {
    const state = this.#begun(id)
    const next = typeof state === 'object' ? state.named[state.read] : undefined
    const isNamed = next?.[0] === entry.writer && next[1] === entry.sequence
    if (entry.text === undefined) {
      // All entries of a row are removed at once.
      if (isNamed) this.#states.set(id, 'removed')
    } else if (typeof state === 'object' && isNamed) {
      this.#add(state, next, reported, id)
    } else if (state !== 'removed' && state !== 'unproved') {
      if (typeof state === 'object') assertNotLater(state, entry, line)
      const isDue = entry.sequence <= (this.#first.get(entry.writer) ?? 0)
      const why = state ? 'does not have it' : 'is missing'
      if (isDue) throw broken(`the row of its impersonation ${why}: ${id}`, entry, line)
    }
  }

  /** @throws Broken */
  finish(): void {
    for (const [id, state] of this.#states) {
      if (typeof state === 'object') {
        throw this.#broken(id, state.line, 'it names an entry that is not there')
      }
    }
  }

  #broken(id: string, line: number, message: string): Broken {
    return (this.#permits.has(id) ? permitBroken : rowBroken)(id, line, message)
  }

  #begun(id: string): Exclude<State, Waiting> | undefined {
    const state = this.#states.get(id)
    if (typeof state !== 'object' || 'named' in state) return state
    const named = state.parts.flatMap((part): NamedEntry[] => JSON.parse(part))
    const { line, row } = state
    const begun: Begun = { line, row, named, read: 0, sum: undefined, permit: undefined }
    this.#states.set(id, begun)
    return begun
  }

  #add(begun: Begun, named: NamedEntry, reported: AuditEntry | undefined, id: string): void {
    if (!reported) {
      this.#states.set(id, 'unproved')
      this.#unproved += 1
      return
    }
    const [, , count = 1, lastTime = reported.time] = named
    const isPermit = this.#permits.has(id)
    if (isPermit) begun.permit = addToPermit(begun.permit, id, reported)
    else begun.sum = fold(begun.sum, id, { entry: reported, count, lastTime })
    begun.read += 1
    if (begun.read < begun.named.length) return
    const row: object = JSON.parse(begun.row)
    const sum = isPermit ? rightPermit(begun.permit, row) : begun.sum
    const difference = differenceOf(JSON.parse(JSON.stringify(sum)), row)
    if (difference !== undefined) {
      throw this.#broken(id, begun.line, `its ${difference} is not what its entries say`)
    }
    this.#states.set(id, 'done')
  }
}

/** A row names its entries in the order of the file. */
function assertNotLater({ named, read }: Begun, entry: Entry, line: number): void {
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

/** The first member in which they differ. */
function differenceOf(sum: object, row: object): string | undefined {
  const names = new Set([...Object.keys(sum), ...Object.keys(row)])
  return [...names].find(
    (name) => !isDeepStrictEqual(Reflect.get(sum, name), Reflect.get(row, name)),
  )
}

function permitBroken(id: string, line: number, message: string): Broken {
  return new Broken(`the permit ${id}: ${message}`, { line })
}

function rowBroken(id: string, line: number, message: string): Broken {
  return new Broken(`the row of impersonation ${id}: ${message}`, { line })
}

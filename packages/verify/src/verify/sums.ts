import { isDeepStrictEqual } from 'node:util'
import type { AuditRecord } from '../format/audit-record.ts'
import { type AuditEntry, isAboutPermit } from '../format/entry.ts'
import { sumWith } from '../format/fold.ts'
import { storedRowOf } from '../format/found.ts'
import { foldRecord, storedRecordOf } from '../format/record.ts'
import type { AuditRow } from '../format/row.ts'
import { slotOf } from '../format/slots.ts'
import { Broken } from './broken.ts'
import type { ReadEntry } from './lines.ts'

/** The sum so far of the entries of an impersonation or a permit. */
interface State {
  /** The number of its first entry. */
  readonly first: number
  line: number
  row?: AuditRow
  permit?: AuditRecord | undefined
  /** `true` if it has an entry that this version cannot read. */
  isUnproved?: true
}

type Members = Readonly<Record<string, unknown>>

/** Compares the sums of an export with those of the entries, which come first. */
export class Sums {
  readonly counts = { impersonation: 0, record: 0 }
  /** Number of sums that could not be compared. */
  unproved = 0
  /** Those whose last entry is not read yet: most are soon over. */
  readonly #open = new Map<string, State>()
  readonly #last: ReadonlyMap<string, number>

  /** @param last of each, the number of the entry after which it comes the last time */
  constructor(last: ReadonlyMap<string, number>) {
    this.#last = last
  }

  /** @throws Broken */
  add({ number, subject, reported, text }: ReadEntry, line: number): void {
    if (subject === undefined) return
    if (text === undefined) {
      this.#open.delete(subject)
      return
    }
    if (number > (this.#last.get(subject) ?? Infinity)) {
      throw new Broken(`the sum of ${subject} does not have it`, { entry: number, line })
    }
    const state = this.#open.get(subject) ?? { first: number, line }
    this.#open.set(subject, state)
    state.line = line
    if (!reported) state.isUnproved = true
    else if (isAboutPermit(reported)) state.permit = foldedPermit(state.permit, reported)
    else state.row = sumWith(state.row, subject, reported)
  }

  /** @param after the entry before it @throws Broken */
  addSum(
    kind: 'impersonation' | 'record',
    sum: { readonly id: string },
    after: ReadEntry | undefined,
    line: number,
  ): void {
    const { id } = sum
    const what = kind === 'record' ? `the permit ${id}` : `the row of impersonation ${id}`
    const state = this.#open.get(id)
    if (after?.subject !== id || !state) {
      throw new Broken(`${what}: no entry tells of it here`, { line })
    }
    if (this.#last.get(id) === after.number) {
      this.#open.delete(id)
      this.counts[kind] += 1
      if (state.isUnproved) this.unproved += 1
    }
    const difference = state.isUnproved
      ? undefined
      : differenceOf(rightSum(kind, state), { ...sum })
    if (difference === undefined) return
    throw new Broken(`${what}: its ${difference} is not what its entries say`, { line })
  }

  /** @throws Broken */
  finish(): void {
    for (const [id, { line }] of this.#open) {
      throw new Broken(`the sum of ${id}, which this entry is about, is missing`, { line })
    }
  }
}

/** An entry that does not fit is in no permit: the audit refused it. */
function foldedPermit(permit: AuditRecord | undefined, entry: AuditEntry) {
  try {
    return foldRecord(permit, entry)
  } catch {
    return undefined
  }
}

function rightSum(kind: 'impersonation' | 'record', { first, row, permit }: State): object {
  if (row && permit) return {}
  const record = permit && { ...storedRecordOf(permit, slotOf(permit)), first }
  return (kind === 'record' ? record : row && storedRowOf(row)) ?? {}
}

/** The first member in which they differ. The sum was read from JSON. */
function differenceOf(right: object, sum: Members): string | undefined {
  const expected: Members = JSON.parse(JSON.stringify(right))
  const names = Object.keys({ ...expected, ...sum })
  return names.find((name) => !isDeepStrictEqual(expected[name], sum[name]))
}

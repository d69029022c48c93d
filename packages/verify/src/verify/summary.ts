import type { ReadEntry } from './lines.ts'
import { sentencesOf, utcOf } from './sentences.ts'

/** Facts about an audit that is whole. */
export interface Verification {
  readonly entries: number
  /** Number of entries that were removed. */
  readonly removed: number
  /** Number of these that were erased, with the number of their impersonations and permits. */
  readonly erased: { readonly entries: number; readonly subjects: number }
  /** The id of the impersonation that the file proves; `undefined` where it has all. */
  readonly only: string | undefined
  /** Those of the impersonation that was asked for, oldest first; none where none was asked for. */
  readonly ofImpersonation: readonly ReadEntry[]
  readonly rows: number
  readonly permits: number
  /** Number of rows and permits that could not be compared with their entries. */
  readonly unprovedRows: number
  readonly seals: number
  /** Number of seals that an unknown key signed: later seals vouch for them. */
  readonly unknown: number
  /** Number of entries without a seal, and the time of the first of them. */
  readonly unsealed: { readonly count: number; readonly since: number | undefined }
  readonly issuer: string
  /** The number of the last entry that is sealed. */
  readonly last: number
  /** Of the last seal, in milliseconds since the epoch. */
  readonly time: number
}

/** The arguments of the command. */
export interface Asked {
  readonly file: string
  /** The files with seals that were kept elsewhere. */
  readonly seals: readonly string[]
  /** The id of one, whose entries are printed. */
  readonly impersonation?: string | undefined
}

/** Returns the lines that the command prints for an audit that is whole. */
export function summaryOf(found: Verification, { file, seals, impersonation }: Asked): string[] {
  const { only, issuer, entries, removed, erased, rows, permits, unprovedRows, unknown } = found
  const last = utcOf(found.time)
  const { count, since } = found.unsealed
  const lines: (string | false)[] = [
    `${file}: whole.`,
    `${inNumbers(entries)}; ${removed - erased.entries} of them were removed when their time was over.`,
    erased.entries > 0 &&
      `${erased.entries} more were erased, of ${erased.subjects} impersonations, refused requests and permits: entries say which.`,
    only === undefined
      ? `${rows} impersonations and refused requests, each the sum of its entries.`
      : `This file is of the impersonation ${only} alone. The provider signed that nothing of it is missing, as of ${last}.`,
    permits > 0 && `${permits} permits, each the sum of its entries.`,
    unprovedRows > 0 &&
      `${unprovedRows} sums are not proved: they have events that this version does not know.`,
    `${found.seals} seals, signed by ${issuer}; the last one is of ${last}.`,
    unknown > 0 &&
      `${unknown} of them are signed with keys that the key set does not have. Later seals vouch for their entries.`,
    since !== undefined && `Not proved: ${inNumbers(count)} without a seal, since ${utcOf(since)}.`,
    only === undefined &&
      seals.length === 0 &&
      'A seal that was kept elsewhere (--seal) proves that the newest ones were not cut off.',
    ...(impersonation === undefined ? [] : impersonationLines(found, impersonation)),
  ]
  return lines.filter((line) => line !== false)
}

/** The entries of an impersonation, and what is proved of them. */
function impersonationLines(found: Verification, id: string): (string | false)[] {
  const { ofImpersonation: entries, issuer, last } = found
  const sealed = entries.filter(({ number }) => number <= last).length
  const removed = entries.filter(({ text }) => text === undefined).length
  const known = entries.filter(({ reported }) => reported).length
  const unknown = entries.length - removed - known
  return [
    '',
    `The impersonation ${id}:`,
    ...sentencesOf(id, entries),
    '',
    `${inNumbers(sealed)}, sealed, signed by ${issuer}.`,
    sealed < entries.length && `Not proved: ${inNumbers(entries.length - sealed)} without a seal.`,
    removed > 0 &&
      `Not proved: what ${inNumbers(removed)} said. It is proved when each was recorded, and that it is of this impersonation.`,
    unknown > 0 &&
      `Not shown: what ${inNumbers(unknown)} said, of a kind that this version does not know.`,
    `What was recorded after ${utcOf(found.time)} is not in this file.`,
  ]
}

function inNumbers(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

import type { Verification } from './result.ts'
import { sentencesOf, utcOf } from './sentences.ts'

/** What was asked for. */
export interface Asked {
  readonly file: string
  /** The files with seals that were kept elsewhere. */
  readonly seals: readonly string[]
  /** The id of one, whose entries are printed. */
  readonly impersonation?: string | undefined
}

/** What the command prints of an audit that is whole. */
export function summaryOf(found: Verification, asked: Asked): string[] {
  const { only, issuer, entries, removed, erased, rows, permits, unprovedRows, unknown } = found
  const last = utcOf(found.time)
  const lines: (string | false)[] = [
    `${asked.file}: whole.`,
    `${inNumbers(entries)}; ${removed - erased.entries} of them were removed when their time was over.`,
    erased.entries > 0 &&
      `${erased.entries} more were erased, of ${erased.impersonations} impersonations and refused requests and ${erased.permits} permits: entries say which.`,
    only === undefined &&
      `${rows} impersonations and refused requests, each the sum of its entries.`,
    only !== undefined &&
      `This file is of the impersonation ${only} alone. The provider signed that nothing of it is missing, as of ${last}.`,
    permits > 0 && `${permits} permits, each the sum of its entries.`,
    unprovedRows > 0 &&
      `${unprovedRows} sums are not proved: they have events that this version does not know.`,
    `${found.seals} seals, signed by ${issuer}; the last one is of ${last}.`,
    unknown > 0 &&
      `${unknown} of them are signed with keys that the key set does not have. Later seals vouch for their entries.`,
    ...unsealedLines(found),
    only === undefined &&
      asked.seals.length === 0 &&
      'A seal that was kept elsewhere (--seal) proves that the newest ones were not cut off.',
  ]
  return [
    ...lines.filter((line) => line !== false),
    ...(asked.impersonation === undefined ? [] : impersonationLines(found, asked.impersonation)),
  ]
}

function unsealedLines({ unsealed: { count, since } }: Verification): string[] {
  if (since === undefined) return []
  return [`Not proved: ${inNumbers(count)} without a seal, since ${utcOf(since)}.`]
}

/** The entries of an impersonation, and what is proved of them. */
function impersonationLines(found: Verification, id: string): string[] {
  const { ofImpersonation: entries, issuer } = found
  const until = utcOf(found.time)
  const countOf = (is: (entry: (typeof entries)[number]) => boolean) => entries.filter(is).length
  const [sealed, removed, unknown] = [
    countOf(({ isSealed }) => isSealed),
    countOf(({ isRemoved }) => isRemoved),
    countOf(({ isRemoved, entry }) => !isRemoved && entry === undefined),
  ]
  const lines: (string | false)[] = [
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
    `What was recorded after ${until} is not in this file.`,
  ]
  return lines.filter((line) => line !== false)
}

function inNumbers(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

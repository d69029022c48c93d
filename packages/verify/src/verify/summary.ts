import type { ImpersonationEntry } from './impersonation.ts'
import { sentencesOf, utcOf } from './sentences.ts'
import type { Verification } from './verification.ts'

/** What was asked for. */
export interface Asked {
  readonly file: string
  /** The files with checkpoints that were kept elsewhere. */
  readonly checkpoints: readonly string[]
  /** The id of one, whose entries are printed. */
  readonly impersonation?: string | undefined
}

/** What the command prints of an audit that is whole. */
export function summaryOf(found: Verification, asked: Asked): string[] {
  const { only, issuer, time } = found
  const lines: [isShown: boolean, line: string][] = [
    [true, `${asked.file}: whole.`],
    [true, entriesLine(found)],
    [found.erased.entries > 0, erasedLine(found)],
    [only !== undefined, onlyLine(found)],
    [
      only === undefined,
      `${found.rows} impersonations and refused requests, each the sum of its entries.`,
    ],
    [found.permits > 0, `${found.permits} permits, each with all its entries.`],
    [
      found.repeatedEntries > 0,
      `${found.repeatedEntries} entries were repeated, ${found.repetitions} times in all: how often, and when last, is not proved.`,
    ],
    [
      found.unprovedRows > 0,
      `${found.unprovedRows} rows are not proved: they have events that this version does not know.`,
    ],
    [
      true,
      `${found.checkpoints} checkpoints, signed by ${issuer}; the one of the file is of ${new Date(time).toISOString()}.`,
    ],
    [
      found.unknown > 0,
      `${found.unknown} more are signed with keys that the key set does not have. They were not used.`,
    ],
    [
      asked.checkpoints.length === 0,
      'A checkpoint that was kept elsewhere (--checkpoint) proves more than those of the file.',
    ],
  ]
  return [
    ...lines.flatMap(([isShown, line]) => (isShown ? line : [])),
    ...(asked.impersonation === undefined ? [] : impersonationLines(found, asked.impersonation)),
  ]
}

function entriesLine({ entries, removed, erased, chains }: Verification): string {
  return `${entries} entries in ${chains} ${chains === 1 ? 'chain' : 'chains'}; ${removed - erased.entries} of them were removed when their time was over.`
}

function erasedLine({ erased: { entries, impersonations, permits } }: Verification): string {
  return `${entries} more were erased, of ${impersonations} impersonations and refused requests and ${permits} permits: the provider signed which.`
}

function onlyLine({ leftOut, only }: Verification): string {
  return `This export is of the impersonation ${only} alone: it leaves out what ${leftOut} entries of others say. They are in their chains, and were not removed from the audit by this.`
}

/** The entries of an impersonation, and what is proved of them. */
function impersonationLines(found: Verification, id: string): string[] {
  const { ofImpersonation: entries, issuer } = found
  const [until, repeated, removed, unknown] = [
    utcOf(found.time),
    entries.filter(({ lastTime }) => lastTime !== undefined).length,
    entries.filter(({ isRemoved }) => isRemoved).length,
    entries.filter(({ isRemoved, entry }) => !isRemoved && entry === undefined).length,
  ]
  return [
    '',
    `The impersonation ${id}:`,
    ...sentencesOf(id, entries),
    '',
    `${inNumbers(entries.length)}, unbroken, covered by the checkpoint of ${until}, signed by ${issuer}.`,
    ...keptLines(entries, until),
    ...(removed > 0
      ? [
          `Not proved: what ${inNumbers(removed)} said. The chain has when each was recorded, and that it is of this impersonation.`,
        ]
      : []),
    ...(unknown > 0
      ? [`Not shown: what ${inNumbers(unknown)} said, of a kind that this version does not know.`]
      : []),
    ...(repeated > 0
      ? [`Not proved: how often the events of ${inNumbers(repeated)} happened, and when last.`]
      : []),
    `What was recorded after ${until} is not in this file.`,
  ]
}

/** What checkpoints that were kept elsewhere prove. */
function keptLines(entries: readonly ImpersonationEntry[], until: string): string[] {
  const covered = entries.flatMap(({ keptAt }) => keptAt ?? [])
  const others = entries.length - covered.length
  return [
    ...(covered.length > 0
      ? [
          `A checkpoint that was kept elsewhere covers ${inNumbers(covered.length)}, since ${utcOf(Math.max(...covered))} at the latest.`,
        ]
      : []),
    ...(others > 0
      ? [
          `None that was kept elsewhere covers ${inNumbers(others)}: a person who could write to the storage could change that until ${until}.`,
        ]
      : []),
  ]
}

function inNumbers(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

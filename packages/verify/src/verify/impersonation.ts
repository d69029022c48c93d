import type { AuditEntry } from '../format/entry.ts'
import type { Entry } from './parsed.ts'
import type { Vouched } from './signatures.ts'

/** An entry of an impersonation, as it is proved. */
export interface ImpersonationEntry {
  /** In milliseconds since the epoch. */
  readonly time: number
  /** What the text says: `undefined` where it is removed, or of a newer version. */
  readonly entry: AuditEntry | undefined
  readonly isRemoved: boolean
  /** How often it happened, and when last, in milliseconds since the epoch: that is not proved. */
  readonly count: number
  readonly lastTime: number | undefined
  /** Time of the first checkpoint that was kept elsewhere and has it, in milliseconds since the epoch. */
  readonly keptAt: number | undefined
}

/** @param kept the checkpoints that were kept elsewhere */
export function impersonationEntry(
  { writer, sequence, text, count = 1, lastTime }: Entry,
  entry: AuditEntry | undefined,
  time: number,
  kept: readonly Vouched[],
): ImpersonationEntry {
  const times = kept
    .filter(({ heads }) =>
      heads.some((head) => head.writer === writer && head.sequence >= sequence),
    )
    .map((checkpoint) => checkpoint.time)
  return {
    ...{ time, entry, isRemoved: text === undefined, count, lastTime },
    keptAt: times.length === 0 ? undefined : Math.min(...times),
  }
}

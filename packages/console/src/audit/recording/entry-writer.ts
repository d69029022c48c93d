import { setTimeout as wait } from 'node:timers/promises'
import { type AuditEntry, reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Batch, Repetition } from '../batch.ts'
import type { SignCheckpoint } from '../keeping/checkpoint.ts'
import { complain, log } from '../log-line.ts'
import { AlreadyStored } from '../missing.ts'
import type { AuditStore } from '../store.ts'
import { isUnstorable } from '../unstorable.ts'
import { batches } from './batches.ts'
import { beginningOfChain } from './beginning.ts'
import { setAsideFor } from './set-aside.ts'
import { untilAborted } from './until-aborted.ts'

/** Writes entries into the store, in their order, as one chain. */
export interface EntryWriter {
  /** The name of the chain. */
  readonly writer: string
  /** Whether the store fails: it did not take what it was asked to write last. */
  isTroubled(): boolean
  /**
   * Never rejects. Resolves when the entries are stored, or when stderr says that they are not. If the
   * store fails, the same entries are written again until it works, or until the end. One call after
   * the other.
   *
   * One bad entry stops nothing (I17): an entry that the store refuses for what is in it is set aside, under
   * an entry that says so. The entries after it are stored.
   *
   * @returns what is stored now
   */
  write(entries: readonly AuditEntry[]): Promise<readonly Batch[]>
}

export interface EntryWriterOptions {
  /** Signs the beginning of the chain. Without it, the chain has none. */
  readonly sign?: SignCheckpoint | undefined
  /** Pauses before a failed write is repeated, in milliseconds. */
  readonly pauses: readonly [number, ...number[]]
  /** The end of the process: what is not stored then is given up. */
  readonly end: AbortSignal
}

/** What is still to be written, in one batch. */
interface Part {
  readonly entries: readonly AuditEntry[]
  batch(): Batch
  halves(): readonly [Part, Part]
}

type Outcome =
  | {
      readonly kind: 'stored'
      readonly batch: Batch
      /** Repetitions that are counted nowhere, since their entry was removed. */
      readonly gone: readonly Repetition[]
    }
  | { readonly kind: 'refused'; readonly refusal: Error }
  | { readonly kind: 'given up' }

export function entryWriter(
  store: Pick<AuditStore, 'append'>,
  { sign, pauses, end }: EntryWriterOptions,
): EntryWriter {
  const { writer, begin, next, anew, undo } = batches()
  let begun: Promise<void> | undefined
  /** The reason why the store fails, while it fails. */
  let trouble: string | undefined
  let failures = 0

  const partOfNew = (entries: readonly AuditEntry[]): Part => ({
    entries,
    batch: () => next(entries),
    halves: () => halvesOf(entries, partOfNew),
  })
  const partOfGone = (repetitions: readonly Repetition[]): Part => ({
    entries: repetitions.map(({ entry }) => entry),
    batch: () => anew(repetitions),
    halves: () => halvesOf(repetitions, partOfGone),
  })

  async function beginChain(): Promise<void> {
    if (sign) begin(await beginningOfChain(sign, writer))
  }

  /** The same batch is written until the store says that it has it, or that it never will. */
  async function append(part: Part): Promise<Outcome> {
    const batch = part.batch()
    while (!end.aborted) {
      try {
        const keys = await untilAborted(keysOfGone(batch), end)
        if (!keys) break
        if (trouble !== undefined) log('the storage takes entries again')
        trouble = undefined
        failures = 0
        const gone = batch.repetitions.filter(({ repeatKey }) => keys.includes(repeatKey))
        return { kind: 'stored', batch, gone }
      } catch (error) {
        if (isUnstorable(error)) {
          // The chain goes on from the last entry that is stored.
          undo()
          return { kind: 'refused', refusal: error }
        }
        await pause(error)
      }
    }
    return { kind: 'given up' }
  }

  async function keysOfGone(batch: Batch): Promise<readonly string[]> {
    // A store of the deployment may answer with nothing.
    return (await store.append(batch)) ?? []
  }

  async function pause(error: unknown): Promise<void> {
    const reason = reasonOf(error)
    if (trouble === undefined) log(`the storage takes no entries, they wait: ${reason}`)
    trouble = reason
    const time = pauses[Math.min(failures, pauses.length - 1)] ?? pauses[0]
    failures += 1
    await wait(time, undefined, { signal: end }).catch(() => {})
  }

  /** @param part with one entry */
  async function appendOrSetAside(part: Part, entry: AuditEntry): Promise<Outcome> {
    for (;;) {
      const outcome = await append(part)
      if (outcome.kind !== 'refused') return outcome
      const { refusal } = outcome
      // Another process wrote it.
      if (refusal.cause instanceof AlreadyStored) return outcome
      for (const aside of setAsideFor(entry, refusal.message)) {
        const placed = await append(partOfNew([aside]))
        if (placed.kind === 'refused') continue
        if (placed.kind === 'stored') complain(entry, `it is set aside: ${reasonOf(refusal)}`)
        return placed
      }
      // A store that refuses even that is out of order, and the entry may be a good one.
      await pause(refusal)
    }
  }

  return {
    writer,
    isTroubled: () => trouble !== undefined,
    async write(entries) {
      begun ??= beginChain()
      await untilAborted(begun, end)
      const stored: Batch[] = []
      const parts = [partOfNew(entries)]
      for (let part = parts.shift(); part; part = parts.shift()) {
        const [first, ...more] = part.entries
        if (!first) continue
        const outcome = await (more.length === 0 ? appendOrSetAside(part, first) : append(part))
        if (outcome.kind === 'refused' && more.length > 0) parts.unshift(...part.halves())
        if (outcome.kind === 'stored') {
          stored.push(outcome.batch)
          parts.unshift(partOfGone(outcome.gone))
        }
        if (outcome.kind === 'given up') {
          for (const entry of [part, ...parts].flatMap((each) => each.entries)) {
            complain(entry, trouble ?? 'it did not answer before the end')
          }
          break
        }
      }
      return stored
    },
  }
}

function halvesOf<T>(items: readonly T[], partOf: (some: readonly T[]) => Part): [Part, Part] {
  const half = Math.ceil(items.length / 2)
  return [partOf(items.slice(0, half)), partOf(items.slice(half))]
}

import { setTimeout as wait } from 'node:timers/promises'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { type AuditEntry, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { complain, log } from '../../kernel/log-line.ts'
import { takingTurns } from '../../kernel/turns.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import type { Batch, Decision, Repetition } from '../batch.ts'
import type { SignCheckpoint } from '../keeping/checkpoint.ts'
import { NothingToStore } from '../missing.ts'
import type { AuditStore } from '../store.ts'
import { isUnstorable } from '../unstorable.ts'
import { batches } from './batches.ts'
import { beginningOfChain } from './beginning.ts'
import { setAsideFor } from './set-aside.ts'

/** How long an entry is written for, and who signs where it begins the chain. */
export interface Writing {
  /** Signs the beginning of the chain. Without it, the chain has none. */
  readonly sign?: SignCheckpoint | undefined
  /** Pauses before a failed write is repeated, in milliseconds. */
  readonly pauses: readonly [number, ...number[]]
  /** The end of the process: what is not stored then is given up. */
  readonly end: AbortSignal
}

/** How long a decision may take. */
export interface Deciding {
  readonly sign: SignCheckpoint
  /** What is left of its time, in milliseconds. */
  readonly left: () => number
  /** With less than this, it does not begin: its outcome would not be known. In milliseconds. */
  readonly least: number
}

/** A decision did not begin, and will not: others were written for too long, or the store fails. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun'
}

/** Writes all that this process has for a store, one after the other, as one chain. */
export interface LedgerWriter {
  /** The name of the chain. */
  readonly writer: string
  /** Whether the store fails: it did not take what it was asked to write last. */
  isTroubled(): boolean
  /**
   * Never rejects. Resolves when the entries are stored, or when stderr says that they are not. If the
   * store fails, the same entries are written again until it works, or until the end.
   *
   * One bad entry stops nothing (I17): an entry that the store refuses for what is in it is set aside, under
   * an entry that says so. The entries after it are stored.
   *
   * @returns what is stored now
   */
  append(entries: readonly AuditEntry[], how: Writing): Promise<readonly Batch[]>
  /**
   * Writes one entry about a permit, once or not at all: it waits for what is written before as long as it
   * has time, and is never repeated.
   *
   * @returns `false` where something else was decided before: nothing is stored
   * @throws NotBegun where nothing was done, or will be
   * @throws Error where it is not known whether it is stored. The writer finds out before it goes on, and
   * what is not stored by then never will be.
   */
  decide(decision: Undecided, how: Deciding): Promise<boolean>
  /** Calls back with each batch that is stored; must not throw. @returns a function that stops it */
  follow(stored: (batch: Batch) => void): () => void
}

/** A decision without its place in the chain. */
export interface Undecided extends Omit<Decision, 'batch'> {
  readonly entry: AuditEntry
}

/** What a writer needs of the store. */
export type WrittenStore = Pick<AuditStore, 'append' | 'decide' | 'heads'>

/** What is still to be written, in one batch. */
interface Part {
  readonly entries: readonly AuditEntry[]
  batch(): Batch
  halves(): readonly [Part, Part]
}

type WriteOutcome =
  | {
      readonly kind: 'stored'
      readonly batch: Batch
      /** Repetitions that are counted nowhere, since their entry was removed. */
      readonly gone: readonly Repetition[]
    }
  | { readonly kind: 'refused'; readonly refusal: Error }
  | { readonly kind: 'given up' }

/** @param now the clock by which the chain begins, in milliseconds since the epoch */
export function ledgerWriter(store: WrittenStore, now = () => Date.now()): LedgerWriter {
  const { writer, begin, next, anew, undo, fence, goOnAfter } = batches()
  const inTurn = takingTurns()
  const followers = new Set<(batch: Batch) => void>()
  let begun: Promise<void> | undefined
  /** The reason why the store fails, while it fails. */
  let trouble: string | undefined
  let failures = 0
  /** Whether the store may have one batch more than is known here. */
  let isUnsure = false
  let findingOut: Promise<void> | undefined

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

  async function beginChain(sign: SignCheckpoint | undefined): Promise<void> {
    if (!sign) return
    begun ??= beginningOfChain(sign, writer, now()).then(begin)
    await begun
  }

  /**
   * After an outcome that is not known: an empty batch takes the next number, so that a late write of an older
   * one does nothing any more. Then the head of the chain says where it goes on.
   */
  async function findOut(): Promise<void> {
    await store.append(fence())
    const head = (await store.heads()).find((each) => each.writer === writer)
    goOnAfter(head?.sequence ?? 0)
    isUnsure = false
  }

  async function makeSure(): Promise<void> {
    if (!isUnsure) return
    findingOut ??= findOut().finally(() => {
      findingOut = undefined
    })
    await findingOut
  }

  function tell(batch: Batch): void {
    for (const stored of followers) stored(batch)
  }

  /** The same batch is written until the store says that it has it, or that it never will. */
  async function append(part: Part, how: Writing): Promise<WriteOutcome> {
    const { end } = how
    let batch: Batch | undefined
    while (!end.aborted) {
      try {
        if (!batch) {
          const isSure = await untilAborted(
            makeSure().then(() => true),
            end,
          )
          if (!isSure) break
          batch = part.batch()
        }
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
        await pause(error, how)
      }
    }
    isUnsure ||= batch !== undefined
    return { kind: 'given up' }
  }

  async function keysOfGone(batch: Batch): Promise<readonly string[]> {
    // A store of the deployment may answer with nothing.
    return (await store.append(batch)) ?? []
  }

  async function pause(error: unknown, { pauses, end }: Writing): Promise<void> {
    const reason = reasonOf(error)
    if (trouble === undefined) log(`the storage takes no entries, they wait: ${reason}`)
    trouble = reason
    const time = pauses[Math.min(failures, pauses.length - 1)] ?? pauses[0]
    failures += 1
    await wait(time, undefined, { signal: end }).catch(() => {})
  }

  /** @param part with one entry */
  async function appendOrSetAside(
    part: Part,
    entry: AuditEntry,
    how: Writing,
  ): Promise<WriteOutcome> {
    for (;;) {
      const outcome = await append(part, how)
      if (outcome.kind !== 'refused') return outcome
      const { refusal } = outcome
      // Another process wrote it, or removed its row.
      if (refusal.cause instanceof NothingToStore) return outcome
      for (const aside of setAsideFor(entry, refusal.message)) {
        const placed = await append(partOfNew([aside]), how)
        if (placed.kind === 'refused') continue
        if (placed.kind === 'stored') complain(entry, `it is set aside: ${reasonOf(refusal)}`)
        return placed
      }
      // A store that refuses even that is out of order, and the entry may be a good one.
      await pause(refusal, how)
    }
  }

  async function appendAll(
    entries: readonly AuditEntry[],
    how: Writing,
  ): Promise<readonly Batch[]> {
    const stored: Batch[] = []
    const parts = [partOfNew(entries)]
    for (let part = parts.shift(); part; part = parts.shift()) {
      const [first, ...more] = part.entries
      if (!first) continue
      const outcome = await (more.length === 0
        ? appendOrSetAside(part, first, how)
        : append(part, how))
      if (outcome.kind === 'refused' && more.length > 0) parts.unshift(...part.halves())
      if (outcome.kind === 'stored') {
        stored.push(outcome.batch)
        tell(outcome.batch)
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
  }

  async function decideNow(
    { entry, ...decision }: Undecided,
    { left }: Deciding,
  ): Promise<boolean> {
    const batch = next([entry])
    const deciding = store.decide({ ...decision, batch })
    try {
      if (!(await endsWithin(left(), deciding))) throw new Error('it does not answer')
      const isStored = await deciding
      if (isStored) tell(batch)
      else undo()
      return isStored
    } catch (error) {
      isUnsure = true
      deciding.catch(() => {})
      // At once: what is late is to find its number taken.
      makeSure().catch(() => {})
      throw error
    }
  }

  return {
    writer,
    isTroubled: () => trouble !== undefined,
    append: (entries, how) =>
      inTurn(
        (before) => untilAborted(before, how.end),
        async () => {
          await untilAborted(beginChain(how.sign), how.end)
          return appendAll(entries, how)
        },
      ),
    decide: (decision, how) =>
      inTurn(
        async (before) => {
          const ready = before.then(() => Promise.all([beginChain(how.sign), makeSure()]))
          const isReady = await endsWithin(how.left(), ready).catch((cause) => {
            throw new NotBegun('the storage fails', { cause })
          })
          if (!isReady || how.left() < how.least) throw new NotBegun('others wait')
        },
        () => decideNow(decision, how),
      ),
    follow(stored) {
      followers.add(stored)
      return () => followers.delete(stored)
    },
  }
}

function halvesOf<T>(items: readonly T[], partOf: (some: readonly T[]) => Part): [Part, Part] {
  const half = Math.ceil(items.length / 2)
  return [partOf(items.slice(0, half)), partOf(items.slice(half))]
}

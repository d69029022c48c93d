import { setTimeout as wait } from 'node:timers/promises'
import { BoundedMap, limitTime } from 'oidc-provider-impersonation/siblings'
import { type AuditEntry, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { complain, log } from '../../kernel/log-line.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import type { Marks } from '../sealing/marks.ts'
import type { AuditStore, Batch, KeptRecord, Sum, Written } from '../store.ts'
import { UnstorableError } from '../unstorable.ts'
import {
  type Composed,
  compose,
  type FoundSums,
  type Pending,
  pendingOf,
  type StoredOutcome,
  setAsideFor,
  subjectOf,
} from './compose.ts'

/** Writes what this process has for the audit. */
export type Log = ReturnType<typeof auditLog>

/** A decision is not stored, and will not be. */
export class NothingDecided extends Error {
  override readonly name = 'NothingDecided'
}

/** The part of the store that the log uses. */
export type WrittenStore = Pick<AuditStore, 'deadlineIn' | 'open' | 'sums' | 'write'>

/** After so many writes that others came before, it pauses. */
const MAX_CHANGES = 20
/** The number of sums that are remembered as this process stored them. */
const MAX_SUMS_REMEMBERED = 1000
/** Time limit of a batch, in milliseconds. Then its outcome is looked up. */
const WRITE_MS = 5000
/** The part of its time in which a decision is stored. In the rest, its outcome is looked up. */
const DECIDING_PART = 0.7

const late = () => new Error('it does not answer')

/** Pauses before a failed write is repeated, in milliseconds. Each is longer than the one before. */
const PAUSES_MS = [50, 100, 250, 500, 1000]

export function auditLog(
  store: WrittenStore,
  { markOf }: Marks,
  pauses: readonly number[] = PAUSES_MS,
) {
  const remembered = new BoundedMap<string, Sum>(MAX_SUMS_REMEMBERED)
  /** The reason why the store fails, while it fails. */
  let trouble: string | undefined
  let failures = 0

  /** @param isFresh whether what is remembered was changed by another process */
  async function findSums(pending: readonly Pending[], isFresh: boolean): Promise<FoundSums> {
    const found = new Map<string, Sum | 'unreadable'>()
    const unknown = new Set<string>()
    for (const one of pending) {
      const id = subjectOf(one)
      if (id === undefined) continue
      const known = isFresh ? undefined : remembered.get(id)
      if (known) found.set(id, known)
      // It begins: if there is one already, the write says so.
      else if (isFresh || one.entry.event !== 'impersonation.issued') unknown.add(id)
    }
    const read = unknown.size > 0 ? await store.sums([...unknown]) : []
    return new Map([...found, ...read])
  }

  function remember({ sums }: Composed, number: number): void {
    for (const [id, { sum, at }] of sums) remembered.set(id, { ...sum, version: number + at })
  }

  function recovered(): void {
    if (trouble !== undefined) log('the storage takes entries again')
    trouble = undefined
    failures = 0
  }

  async function pause(error: unknown, end: AbortSignal): Promise<void> {
    const reason = reasonOf(error)
    if (trouble === undefined) log(`the storage takes no entries, they wait: ${reason}`)
    trouble = reason
    const time = pauses[failures] ?? pauses.at(-1)
    failures += 1
    await wait(time, undefined, { signal: end }).catch(() => {})
  }

  /**
   * Writes a batch. If the store does not answer, it gets the same with the same deadline again, and says what became
   * of it.
   *
   * @returns `undefined` at the end
   * @throws UnstorableError
   */
  async function writeSurely(batch: Batch, end: AbortSignal): Promise<Written | undefined> {
    for (let deadline: number | undefined; !end.aborted; ) {
      try {
        deadline ??= store.deadlineIn(WRITE_MS)
        const written = await untilAborted(
          limitTime(WRITE_MS, store.write(batch, deadline), late),
          end,
        )
        if (written) recovered()
        return written
      } catch (error) {
        if (error instanceof UnstorableError) throw error
        await pause(error, end)
      }
    }
    return undefined
  }

  /** @returns `undefined` at the end @throws UnstorableError */
  async function write(
    pending: readonly Pending[],
    end: AbortSignal,
  ): Promise<readonly StoredOutcome[] | undefined> {
    for (let changes = 0; !end.aborted; ) {
      if (changes > MAX_CHANGES) await pause(new Error('others write the same all the time'), end)
      const sums = await untilAborted(findSums(pending, changes > 0), end).catch((error) =>
        pause(error, end),
      )
      if (!sums) continue
      const composed = compose(pending, sums, markOf)
      if (composed.batch.entries.length === 0) return composed.outcomes
      const written = await writeSurely(composed.batch, end)
      if (written?.is === 'stored') {
        remember(composed, written.number)
        return composed.outcomes
      }
      if (written?.is === 'changed') changes += 1
    }
    return undefined
  }

  /** An entry that the storage refuses for what is in it is set aside, alone (I17). */
  async function writeOrSetAside(one: Pending, end: AbortSignal): Promise<StoredOutcome> {
    while (!end.aborted) {
      let refusal: unknown
      const candidates = [one.entry]
      for (let entry = candidates.shift(); entry; entry = candidates.shift()) {
        try {
          const [outcome] = (await write([{ ...one, entry }], end)) ?? []
          if (!outcome) break
          return entry === one.entry ? outcome : { ...outcome, why: reasonOf(refusal) }
        } catch (error) {
          if (entry === one.entry) candidates.push(...setAsideFor(entry, reasonOf(error)))
          refusal = error
        }
      }
      // A storage that refuses even that is out of order, and the entry may be a good one.
      if (refusal !== undefined) await pause(refusal, end)
    }
    return { stored: undefined, why: trouble ?? 'the storage did not answer before the end' }
  }

  async function append(
    pending: readonly Pending[],
    end: AbortSignal,
  ): Promise<readonly StoredOutcome[]> {
    const all = await write(pending, end).catch(() => undefined)
    if (all) return all
    const [one, ...others] = pending
    if (one && others.length === 0) return [await writeOrSetAside(one, end)]
    const middle = Math.floor(pending.length / 2)
    const first = await append(pending.slice(0, middle), end)
    return [...first, ...(await append(pending.slice(middle), end))]
  }

  return {
    /** Returns true while the store fails: it did not take what it was asked to write last. */
    isTroubled: () => trouble !== undefined,
    /**
     * Never rejects. Resolves when the entries are stored, or when stderr says that they are not. If the
     * store fails, the same entries are written again until it works, or until the end.
     *
     * @param end of the process: then what is not stored is given up
     * @returns for each, true if it is stored as it was told
     */
    async append(pending: readonly Pending[], end: AbortSignal): Promise<readonly boolean[]> {
      const outcomes = await append(pending, end)
      return outcomes.map(({ stored, why }, index) => {
        const entry = pending[index]?.entry
        if (why === undefined) return stored !== undefined
        if (entry) complain(entry, stored ? `it is set aside: ${why}` : why)
        return false
      })
    },

    /**
     * Writes one entry about a permit, once or not at all.
     *
     * @param before the permit as it was looked at; `undefined` for a new one
     * @param slots of a new one
     * @returns `false` where something else was decided before: nothing is stored
     * @throws NothingDecided where nothing is stored, or will be
     * @throws Error where it is not known whether it is stored
     */
    async decide(
      entry: AuditEntry,
      before: KeptRecord | undefined,
      slots: Batch['slots'],
      left: () => number,
    ): Promise<boolean> {
      const sums = new Map<string, Sum>()
      if (before) sums.set(before.id, { kind: 'record', version: before.last, permit: before })
      const composed = compose([pendingOf(entry)], sums, markOf, slots)
      await limitTime(left(), store.open(), late).catch((cause) => {
        throw new NothingDecided('the storage fails', { cause })
      })
      const deadline = store.deadlineIn(left() * DECIDING_PART)
      const ask = (ms: number) => limitTime(ms, store.write(composed.batch, deadline), late)
      const written = await ask(left() * DECIDING_PART).catch((error) => {
        if (error instanceof UnstorableError) throw error
        return ask(left())
      })
      if (written.is === 'late') throw new NothingDecided('it was too late')
      if (written.is === 'stored') remember(composed, written.number)
      return written.is === 'stored'
    },
  }
}

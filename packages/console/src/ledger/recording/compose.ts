import { randomBytes } from 'node:crypto'
import {
  digestOf,
  entryDigestOf,
  rowOf,
  slotOf,
  storedRowOf,
} from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  encodeEntry,
  fold,
  foldRecord,
  isAboutPermit,
  parseRecord,
  reasonOf,
  SET_ASIDE,
  type SetAside,
  storedRecordOf,
} from 'oidc-provider-impersonation-verify/format'
import { lineOf } from '../../kernel/log-line.ts'
import { isConditional, isMissing } from '../missing.ts'
import type { Batch, NewSum, Sum } from '../store.ts'

/** An entry that is to be stored. */
export interface Pending {
  /** 22 of the characters A-Z, a-z, 0-9, - and _. A write that is repeated has the same. */
  readonly id: string
  readonly entry: AuditEntry
}

/** The outcome of an entry. */
export interface StoredOutcome {
  /** The entry, or the one in its place if it is set aside; `undefined` if there was nothing to store. */
  readonly stored: AuditEntry | undefined
  /** The reason for which it is set aside. */
  readonly why?: string
}

export type Composed = ReturnType<typeof compose>

export type FoundSums = ReadonlyMap<string, Sum | 'unreadable'>

/** Entries and salts have 128 random bits. */
export const newEntryId = (): string => randomBytes(16).toString('base64url')

export const pendingOf = (entry: AuditEntry): Pending => ({ id: newEntryId(), entry })

/** The impersonation or the permit that an entry is about. */
export const subjectOf = ({ id, entry }: Pending) => rowOf(entry, id)

/**
 * The batch of these entries. What another process wrote already is left out, alone; what does not fit its sum is set
 * aside, alone (I17).
 *
 * @param stored the sums that they belong to, as they were read
 */
export function compose(
  pending: readonly Pending[],
  stored: FoundSums,
  markOf: (digest: string) => string,
  slots: Batch['slots'] = [],
) {
  /** As the batch leaves them, and the places in it of their first and last entries. */
  const sums = new Map<string, { sum: Sum; from: number; at: number }>()
  const entries: Batch['entries'][number][] = []

  /** @throws Error for an entry that does not fit its sum */
  function add({ id, entry }: Pending): AuditEntry | undefined {
    const subject = rowOf(entry, id)
    if (subject !== undefined) {
      const { sum, from = entries.length } = sums.get(subject) ?? {}
      const before = sum ?? stored.get(subject)
      const isReadable = before !== 'unreadable'
      if (isReadable && isConditional(entry) && !isMissing(before, entry)) return undefined
      sums.set(subject, { sum: nextSum(before, subject, entry), from, at: entries.length })
    }
    const text = encodeEntry(entry, newEntryId())
    const digest = entryDigestOf(text, { id, subject }, entry)
    entries.push({ digest, text, mac: markOf(digest) })
    return entry
  }

  function addOrSetAside(one: Pending): StoredOutcome {
    try {
      return { stored: add(one) }
    } catch (error) {
      const why = `it does not fit what is stored: ${reasonOf(error)}`
      const [first, alone] = setAsideFor(one.entry, why)
      try {
        return { stored: add({ ...one, entry: first }), why }
      } catch {
        return { stored: add({ ...one, entry: alone }), why }
      }
    }
  }

  const outcomes = pending.map(addOrSetAside)
  const newSums = [...sums].map(([id, { sum, from, at }]): NewSum => {
    const before = stored.get(id)
    const replaces = typeof before === 'object' ? before.version : 0
    // The columns of its table are members of it.
    const data = JSON.stringify(sum.kind === 'record' ? sum.permit : storedRowOf(sum.row))
    return { kind: sum.kind, id, replaces, from, at, data }
  })
  return { outcomes, sums, batch: { entries, sums: newSums, slots } }
}

/**
 * The entries that stand in the place of one that cannot be stored: with its row, and without.
 * They have nothing of its texts, which may be why it is refused.
 */
export function setAsideFor(
  entry: AuditEntry,
  why: string,
): readonly [ofRow: AuditEntry, alone: AuditEntry] {
  // Names are added after it was printed.
  const { names: _, ...printed } = entry
  const { event, timeMs, id } = printed
  const alone = setAsideEntry({ event, digest: digestOf(lineOf(printed)), why }, timeMs)
  return [id === undefined ? alone : { ...alone, id }, alone]
}

/** @param timeMs in milliseconds since the epoch */
export function setAsideEntry(setAside: SetAside, timeMs = Date.now()): AuditEntry {
  return { event: SET_ASIDE, timeMs, setAside }
}

function nextSum(before: Sum | 'unreadable' | undefined, id: string, entry: AuditEntry): Sum {
  if (before === 'unreadable') throw new Error('that cannot be read')
  if (isAboutPermit(entry)) {
    if (before?.kind === 'impersonation') throw new Error('an impersonation has this id')
    const record = foldRecord(before && parseRecord(before.permit), entry)
    return { kind: 'record', version: 0, permit: storedRecordOf(record, slotOf(record)) }
  }
  if (before?.kind === 'record') throw new Error('a permit has this id')
  return { kind: 'impersonation', version: 0, row: fold(before?.row, id, entry) }
}

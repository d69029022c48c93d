import { randomBytes } from 'node:crypto'
import { entryDigestOf, rowOf, slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  encodeEntry,
  fold,
  foldRecord,
  isAboutPermit,
  parseRecord,
  reasonOf,
  storedRecordOf,
} from 'oidc-provider-impersonation-verify/format'
import { isConditional, isMissing } from '../missing.ts'
import type { Batch, NewSum, Sum } from '../store.ts'
import { encodeRow } from '../stores/sums.ts'
import { setAsideFor } from './set-aside.ts'

/** An entry that is to be stored. */
export interface Pending {
  /** 22 of the characters A-Z, a-z, 0-9, - and _. A write that is repeated has the same. */
  readonly id: string
  readonly entry: AuditEntry
}

/** What is stored of an entry. */
export interface StoredOutcome {
  /** The entry; what stands in its place, where it is set aside; `undefined` where there was nothing to store. */
  readonly stored: AuditEntry | undefined
  /** Why it is set aside. */
  readonly why?: string
}

export interface Composed {
  readonly batch: Omit<Batch, 'slots'>
  /** In the order of what was given. */
  readonly outcomes: readonly StoredOutcome[]
  /** The sums as the batch leaves them, and the places in it of their last entries. */
  readonly sums: ReadonlyMap<
    string,
    { readonly sum: Sum; readonly from: number; readonly at: number }
  >
}

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
): Composed {
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
  return {
    ...{ outcomes, sums },
    batch: {
      entries,
      sums: [...sums].map(([id, { sum, from, at }]): NewSum => {
        const before = stored.get(id)
        const replaces = before === undefined || before === 'unreadable' ? 0 : before.version
        const isRow = sum.kind === 'impersonation'
        const data = isRow ? encodeRow(sum.row) : JSON.stringify(sum.permit)
        return { kind: sum.kind, id, replaces, from, at, data }
      }),
    },
  }
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

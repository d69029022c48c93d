import { isTextOf, slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRecord,
  decodeEntry,
  foldRecord,
  isStop,
  parseRecord,
  storedRecordOf,
} from 'oidc-provider-impersonation-verify/format'
import { type Marks, marks } from '../sealing/marks.ts'
import type { AuditStore, RecordWithEntries, StoredEntry } from '../store.ts'
import { openedStore } from '../stores/opened-store.ts'
import { auditLog, type Log } from './log.ts'

/** The audit of this process: opened once, whoever writes. */
export type Ledger = ReturnType<typeof newLedger>

const ledgers = new WeakMap<AuditStore, Ledger>()

/** The console and its permits share it: it belongs to the `audit` that both are given, until that is closed. */
export function ledgerOf(audit: AuditStore): Ledger {
  const ledger = ledgers.get(audit) ?? newLedger(audit)
  ledgers.set(audit, ledger)
  return ledger
}

function newLedger(audit: AuditStore): { store: AuditStore; log: Log; marks: Marks } {
  const marked = marks()
  /** Its `open()` rejects if the storage cannot be opened, and tries again. */
  const opened = openedStore(audit)
  const store: AuditStore = {
    ...opened,
    async permitsInForce(wanted) {
      const found = await opened.permitsInForce(wanted)
      return found.map((permit) => asWritten(permit, marked))
    },
    async close() {
      ledgers.delete(audit)
      await opened.close()
    },
  }
  return { store, log: auditLog(store, marked), marks: marked }
}

/**
 * Nobody starts by what SQL alone put there: a permit is the sum of its entries, and one that no process of the
 * deployment wrote makes it unreadable. A stop holds in any case.
 */
function asWritten(permit: RecordWithEntries, { isRight }: Marks): RecordWithEntries {
  const { id, entries } = permit
  const add = (record: AuditRecord | undefined, { row, digest, text = '', mac }: StoredEntry) => {
    const isWritten = row === id && isRight(digest, mac) && isTextOf(text, digest)
    const entry = isWritten ? decodeEntry(text) : undefined
    if (!entry) throw new Error('it was not written by the audit')
    return foldRecord(record, entry)
  }
  try {
    if (isStop(parseRecord(permit))) return permit
    const record = entries.reduce(add, undefined)
    if (record) return { ...permit, ...storedRecordOf(record, slotOf(record)) }
  } catch {
    // It allows nothing.
  }
  return { ...permit, data: '' }
}

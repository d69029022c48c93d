import { type Marks, marks } from '../sealing/marks.ts'
import type { AuditStore } from '../store.ts'
import { openedStore } from '../stores/opened-store.ts'
import { withUnapproved } from '../unapproved.ts'
import { auditLog, type Log } from './log.ts'

/** The audit of this process: opened once, whoever writes. */
export interface Ledger {
  /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
  readonly store: AuditStore
  readonly log: Log
  readonly marks: Marks
}

const ledgers = new WeakMap<AuditStore, Ledger>()

/** The console and its permits share it: it belongs to the `audit` that both are given, until that is closed. */
export function ledgerOf(audit: AuditStore): Ledger {
  const known = ledgers.get(audit)
  if (known) return known
  const store = withUnapproved(openedStore(audit, () => ledgers.delete(audit)))
  const marked = marks()
  const ledger = { store, log: auditLog(store, marked), marks: marked }
  ledgers.set(audit, ledger)
  return ledger
}

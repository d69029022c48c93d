import type { AuditStore } from '../store.ts'
import { openedStore } from '../stores/opened-store.ts'
import { type LedgerWriter, ledgerWriter } from './writer.ts'

/** The audit of this process: opened once, and written as one chain, whoever writes. */
export interface Ledger {
  /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
  readonly store: AuditStore
  readonly writer: LedgerWriter
}

const ledgers = new WeakMap<AuditStore, Ledger>()

/** The console and its permits share it: it belongs to the `audit` that both are given, until that is closed. */
export function ledgerOf(audit: AuditStore): Ledger {
  const known = ledgers.get(audit)
  if (known) return known
  const opened = openedStore(audit)
  const store: AuditStore = {
    ...opened,
    async close() {
      ledgers.delete(audit)
      await opened.close()
    },
  }
  const ledger = { store, writer: ledgerWriter(store) }
  ledgers.set(audit, ledger)
  return ledger
}

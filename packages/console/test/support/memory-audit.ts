import type { AuditStore } from '../../src/ledger/store.ts'
import { openedStore } from '../../src/ledger/stores/opened-store.ts'
import { createSqliteAudit, type SqliteAuditOptions } from '../../src/ledger/stores/sqlite/index.ts'

/** An audit of one test, in memory. It is opened at its first use. */
export function memoryAudit(options: Omit<SqliteAuditOptions, 'file'> = {}): AuditStore {
  return openedStore(createSqliteAudit({ file: ':memory:', ...options }))
}

import { openAudit } from '../../console/audit/open.ts'
import type { AuditStore } from '../../console/audit/store.ts'
import { readConfig } from '../../example-provider/config.ts'
import { openStorage } from '../../hosting/storage.ts'
import type { AdapterFactory } from '../../src/index.ts'

/** The audit of a storage, and its connections. */
export interface OpenAudit {
  readonly audit: AuditStore
  readonly adapter: AdapterFactory
  close(): Promise<void>
}

/** Opens the audit in the way in which the example does it. */
export async function openAuditAt(STORAGE_URL: string): Promise<OpenAudit> {
  const storage = await openStorage(readConfig({ STORAGE_URL }).storage)
  const audit = await openAudit(storage.database)
  return {
    audit,
    adapter: storage.adapter,
    async close() {
      audit.close()
      await storage.close()
    },
  }
}

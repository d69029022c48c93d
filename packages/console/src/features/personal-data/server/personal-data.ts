import { present } from 'oidc-provider-impersonation-verify/format'
import type { Audit } from '../../../ledger/recording/audit.ts'
import type { ErasureParts } from './erase.ts'
import { type DataRequest, type ErasedCounts, eraseCustomer } from './erase.ts'
import { exportCustomer } from './export-customer.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'

/** What the audit has of one person: for their right of access, and to erasure. */
export interface PersonalData {
  exportOf(customerId: string, request?: DataRequest): AsyncIterable<string>
  erase(customerId: string, request?: DataRequest): Promise<ErasedCounts>
}

export function personalData(
  audit: Pick<Audit, 'recordSurely' | 'settled' | 'store'>,
  parts: Omit<ErasureParts, 'record' | 'store'>,
): PersonalData {
  const { store } = audit
  const record = audit.recordSurely

  /** One id, which leads to the customer as long as something is kept: the entry names no customer. */
  async function findFirst(customer: string): Promise<{ impersonation?: string; permit?: string }> {
    for await (const [row] of rowsOfCustomer(store, customer, parts.now())) {
      if (row) return { impersonation: row.id }
    }
    for await (const [permit] of permitsOfCustomer(store, customer)) {
      if (permit) return { permit: permit.id }
    }
    return {}
  }

  async function* exportRecorded(customer: string, request: DataRequest) {
    await audit.settled()
    const context = { format: 'person', ...(await findFirst(customer)) }
    const about = present({ by: request.by, note: request.note })
    await record({ event: 'support.exported', timeMs: parts.now(), ...about, context })
    yield* exportCustomer({ store, record, now: parts.now }, customer, request)
  }

  return {
    exportOf: (customerId, request = {}) => exportRecorded(parseCustomer(customerId), request),
    async erase(customerId, request = {}) {
      const customer = parseCustomer(customerId)
      await audit.settled()
      return eraseCustomer({ ...parts, store, record }, customer, request)
    },
  }
}

function parseCustomer(customerId: unknown): string {
  if (typeof customerId === 'string' && customerId !== '') return customerId
  throw new TypeError('customerId must be the account id of a customer: a text that is not empty')
}

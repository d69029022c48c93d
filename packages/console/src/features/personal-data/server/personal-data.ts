import { present } from 'oidc-provider-impersonation-verify/format'
import type { Audit } from '../../../ledger/recording/audit.ts'
import { type DataRequest, type ErasedCounts, eraseCustomer, findOfCustomer } from './erase.ts'
import { exportCustomer } from './export-customer.ts'
import type { InForce } from './in-force.ts'
import { findFirst, type Item } from './of-customer.ts'
import { type ErasuresByTwo, type ErasuresParts, erasuresOf } from './requests.ts'

/** What the audit has of one person: for their right of access, and to erasure. */
export interface PersonalData {
  exportOf(customerId: string, request?: DataRequest): AsyncIterable<string>
  erase(customerId: string, request?: DataRequest): Promise<ErasedCounts>
  readonly erasures: ErasuresByTwo
  /** All that there is of a customer, and what of it may not be erased now. */
  find(customer: string): Promise<{ all: readonly Item[]; inForce: readonly InForce[] }>
  /** What the entry of an export says, and the export itself. */
  exportContext(customer: string): Promise<Readonly<Record<string, string>>>
  exportParts(customer: string, request: DataRequest): AsyncGenerator<string>
}

export function personalData(
  audit: Pick<Audit, 'recordSurely' | 'settled' | 'store'>,
  parts: ErasuresParts,
): PersonalData {
  const { store } = audit
  const record = audit.recordSurely

  const exportParts = (customer: string, request: DataRequest) =>
    exportCustomer({ store, record, now: parts.now }, customer, request)

  async function exportContext(customer: string) {
    const first = await findFirst(store, customer, parts.now())
    return { format: 'person', ...(first && { [first.kind]: first.id }) }
  }

  async function* exportRecorded(customer: string, request: DataRequest) {
    await audit.settled()
    const context = await exportContext(customer)
    const { by, note } = request
    const timeMs = parts.now()
    await record({ event: 'support.exported', timeMs, ...present({ by, note }), context })
    yield* exportParts(customer, request)
  }

  return {
    exportContext,
    exportParts,
    erasures: erasuresOf(audit, parts),
    async find(customer) {
      await audit.settled()
      return findOfCustomer({ ...parts, store }, customer)
    },
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

import { present } from 'oidc-provider-impersonation-verify/format'
import type { Audit } from '../../../ledger/recording/audit.ts'
import { type DataRequest, type ErasedCounts, eraseCustomer, findOfCustomer } from './erase.ts'
import { exportCustomer } from './export-customer.ts'
import { findFirst } from './of-customer.ts'
import { type ErasuresParts, erasuresOf } from './requests.ts'

/** The data of one person in the audit: for their right of access, and to erasure. */
export type PersonalData = ReturnType<typeof personalData>

export function personalData(
  { recordSurely: record, settled, store }: Pick<Audit, 'recordSurely' | 'settled' | 'store'>,
  given: Omit<ErasuresParts, 'record' | 'settled' | 'store'>,
) {
  const parts = { ...given, record, settled, store }
  const { now } = parts

  const exportParts = (customer: string, request: DataRequest) =>
    exportCustomer(parts, customer, request)

  /** The context of the entry of an export. */
  async function exportContext(customer: string): Promise<Readonly<Record<string, string>>> {
    const first = await findFirst(store, customer, now())
    return { format: 'person', ...(first && { [first.kind]: first.id }) }
  }

  async function* exportRecorded(customer: string, { by, note }: DataRequest) {
    await settled()
    const context = await exportContext(customer)
    await record({
      event: 'support.exported',
      timeMs: now(),
      ...present({ by, note }),
      context,
    })
    yield* exportParts(customer, { by, note })
  }

  return {
    exportContext,
    exportParts,
    erasures: erasuresOf(parts),
    /** All that there is of a customer, and what of it may not be erased now. */
    async find(customer: string) {
      await settled()
      return findOfCustomer(parts, customer)
    },
    exportOf: (customerId: string, request: DataRequest = {}): AsyncIterable<string> =>
      exportRecorded(parseCustomer(customerId), request),
    async erase(customerId: string, request: DataRequest = {}): Promise<ErasedCounts> {
      const customer = parseCustomer(customerId)
      await settled()
      return eraseCustomer(parts, customer, request)
    },
  }
}

function parseCustomer(customerId: unknown): string {
  if (typeof customerId === 'string' && customerId !== '') return customerId
  throw new TypeError('customerId must be the account id of a customer: a text that is not empty')
}

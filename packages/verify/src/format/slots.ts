import { createHash } from 'node:crypto'
import type { AuditRecord } from './audit-record.ts'
import { ticketKey } from './same-ticket.ts'

/** The newest answer of a customer for all requests counts. */
export const answerSlot = (customer: string) => slotHash('answer', customer)

/** Of the stops of an operator as one customer, or as any, the newest counts. */
export function stopSlot(operator: string, customer: string | undefined): string {
  return customer === undefined ? slotHash('stop', operator) : slotHash('stop', operator, customer)
}

/** The slot of a record: by it, one is looked at before another is made. */
export function slotOf({ kind, ...record }: AuditRecord): string {
  const { application = '', by, impersonation, ticket = '' } = record
  const [operator, customer] = [record.operator?.id ?? '', record.customer?.id]
  switch (kind) {
    case 'answer':
      return answerSlot(customer ?? '')
    case 'stop':
      return stopSlot(operator, customer)
    // Of the emergencies of one operator, one is not reviewed.
    case 'emergency':
      return slotHash(kind, operator)
    // Of the requests to erase what one impersonation or record leads to, one is open.
    case 'erasure':
      return slotHash(kind, impersonation ?? record.record ?? by?.id ?? '')
    // Of the requests of one operator for one customer, application and ticket, one is open.
    case 'approval':
      return slotHash('request', operator, customer ?? '', application, ticketKey(ticket))
  }
}

function slotHash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

import { createHash } from 'node:crypto'
import type { AuditRecord } from './audit-record.ts'
import { ticketKey } from './same-ticket.ts'

/** Facts that distinguish the permits of an operator. */
interface SlotFacts {
  /** Account ids. */
  readonly operator: string
  readonly customer: string
  /** The client id. */
  readonly application: string
  readonly ticket: string
}

/** Of the permits that one operator asks for one customer in one application and one ticket, one is open. */
export function requestSlot({ operator, customer, application, ticket }: SlotFacts): string {
  return slotHash('request', operator, customer, application, ticketKey(ticket))
}

/** Of the emergencies of one operator, one is not reviewed. */
export const emergencySlot = (operator: string) => slotHash('emergency', operator)

/** The newest answer of a customer for all requests counts. */
export const answerSlot = (customer: string) => slotHash('answer', customer)

/** Of the requests to erase what one impersonation or record leads to, one is open. */
export const erasureSlot = (about: string) => slotHash('erasure', about)

/** Of the stops of an operator as one customer, or as any, the newest counts. */
export function stopSlot(operator: string, customer: string | undefined): string {
  return customer === undefined ? slotHash('stop', operator) : slotHash('stop', operator, customer)
}

/** The slot of a record: by it, one is looked at before another is made. */
export function slotOf({ kind, ...record }: AuditRecord): string {
  const { application = '', by, ticket = '' } = record
  const [operator, customer] = [record.operator?.id ?? '', record.customer?.id]
  if (kind === 'answer') return answerSlot(customer ?? '')
  if (kind === 'stop') return stopSlot(operator, customer)
  if (kind === 'emergency') return emergencySlot(operator)
  if (kind === 'erasure') return erasureSlot(record.impersonation ?? record.record ?? by?.id ?? '')
  return requestSlot({ operator, customer: customer ?? '', application, ticket })
}

function slotHash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

import { createHash } from 'node:crypto'
import type { AnyPermit } from './permit.ts'

/** What tells one permit of an operator from another. */
interface SlotFacts {
  /** Account ids. */
  readonly operator: string
  readonly customer: string
  /** The client id. */
  readonly application: string
}

/** Of the permits that one operator asks for one customer in one application, one is open. */
export function requestSlot({ operator, customer, application }: SlotFacts): string {
  return slotHash('request', operator, customer, application)
}

/** Of the emergencies of one operator, one is not reviewed. */
export const emergencySlot = (operator: string) => slotHash('emergency', operator)

/** Of what a customer says for all requests, the newest counts. */
export const standingSlot = (customer: string) => slotHash('standing', customer)

/** Of the pauses of an operator as one customer, or as any, the newest counts. */
export function pauseSlot(operator: string, customer: string | undefined): string {
  return customer === undefined
    ? slotHash('pause', operator)
    : slotHash('pause', operator, customer)
}

/** The slot of a permit: by it, one is looked at before another is made. */
export function slotOf(permit: AnyPermit): string {
  if (permit.kind === 'standing') return standingSlot(permit.customer.id)
  if (permit.kind === 'pause') return pauseSlot(permit.operator.id, permit.customer?.id)
  const { kind, operator, customer, application } = permit
  if (kind === 'emergency') return emergencySlot(operator.id)
  return requestSlot({ operator: operator.id, customer: customer.id, application })
}

function slotHash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

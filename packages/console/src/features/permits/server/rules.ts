import type { Need } from 'oidc-provider-impersonation'
import {
  isNeedMet,
  isSameTicket,
  type PermitRecord,
} from 'oidc-provider-impersonation-verify/format'
import { recordAt } from '../../../records/record-at.ts'

/** What a permit is asked for. */
export interface RequestFacts {
  /** Account ids. */
  readonly customer: string
  readonly operator: string
  /** The client id. */
  readonly application: string
  readonly resource: string
  /** The scopes, with a space between them. */
  readonly scope: string
}

/** What a start asks for, with the ticket for which it is. */
export interface StartFacts extends RequestFacts {
  readonly ticket: string
}

/** Whether a permit allows what is asked for, at this time. By facts: no caller names a permit. */
export function isAllowedBy(record: PermitRecord, facts: StartFacts, now: number): boolean {
  const { grantedAt, customer, operator, application, resource, scope } = record
  const permitted = new Set(scope.split(' '))
  return (
    recordAt(record, now).state === 'granted' &&
    // A clock that was set back opens nothing early.
    grantedAt !== undefined &&
    grantedAt <= now &&
    customer.id === facts.customer &&
    operator.id === facts.operator &&
    application === facts.application &&
    resource === facts.resource &&
    // An approval is for its ticket, and no other reason to look.
    isSameTicket(record.ticket, facts.ticket) &&
    facts.scope.split(' ').every((name) => permitted.has(name))
  )
}

/** Whether the needs of a rule are met by what was granted, or by an emergency that the rule allows. */
export function meetsNeeds(
  record: PermitRecord,
  needs: readonly Need[],
  allowsEmergency: boolean,
): boolean {
  if (record.kind === 'emergency') return allowsEmergency
  return needs.every((need) => isNeedMet(record, need))
}

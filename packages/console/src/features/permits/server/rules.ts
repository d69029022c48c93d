import type { Need } from 'oidc-provider-impersonation'
import {
  isNeedMet,
  isSameTicket,
  type PermitRecord,
} from 'oidc-provider-impersonation-verify/format'
import { PermitError } from './errors.ts'
import { permitAt } from './permit.ts'

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
    permitAt(record, now).state === 'granted' &&
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

/**
 * @param holder the newest permit of the same operator, customer and application
 * @throws PermitError where it is still open
 */
export function assertMayRequest(holder: PermitRecord | undefined, now: number): void {
  if (!holder) return
  const permit = permitAt(holder, now)
  if (permit.state === 'requested') {
    throw new PermitError('already_requested', 'this is asked for already', { permit })
  }
}

/** @throws PermitError where the permit is not open, or the need is not to be decided any more */
export function assertUndecided(record: PermitRecord, need: Need, now: number): void {
  const permit = permitAt(record, now)
  const isOpen = permit.state === 'requested' && record.needs.includes(need)
  if (isOpen && !record.said.some((each) => each.need === need)) return
  throw new PermitError('decided', 'this is decided already, or cannot be decided any more', {
    permit,
  })
}

/** What every entry about a permit has, so that a reader knows what it is about. */
export function aboutOf({
  id,
  customer,
  operator,
  application,
}: Pick<PermitRecord, 'application' | 'customer' | 'id' | 'operator'>) {
  return {
    ...{ permit: id, userId: customer.id },
    mayAct: { sub: operator.id, clientId: application },
  }
}

import { createHash } from 'node:crypto'
import type { Need } from 'oidc-provider-impersonation'
import type { AnyPermit, PermitRecord } from '../audit/permit.ts'
import { PermitError } from './errors.ts'
import { permitAt } from './permit.ts'

/** What a permit is asked for. */
export interface Facts {
  /** Account ids. */
  readonly customer: string
  readonly operator: string
  /** The client id. */
  readonly application: string
  readonly resource: string
  /** The scopes, with a space between them. */
  readonly scope: string
}

/** Of the permits that one operator asks for one customer in one application, one is open. */
export function requestSlot({ operator, customer, application }: Facts): string {
  return hashOf('request', operator, customer, application)
}

/** Of the emergencies of one operator, one is not reviewed. */
export const emergencySlot = (operator: string) => hashOf('emergency', operator)

/** Of what a customer says for all requests, the newest counts. */
export const standingSlot = (customer: string) => hashOf('standing', customer)

/** The slot of a permit: by it, one is looked at before another is made. */
export function slotOf(permit: AnyPermit): string {
  if (permit.kind === 'standing') return standingSlot(permit.customer.id)
  const { kind, operator, customer, application, resource, scope } = permit
  if (kind === 'emergency') return emergencySlot(operator.id)
  const people = { operator: operator.id, customer: customer.id }
  return requestSlot({ ...people, application, resource, scope })
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** Whether a permit allows what is asked for, at this time. By facts: no caller names a permit. */
export function isAllowedBy(record: PermitRecord, facts: Facts, now: number): boolean {
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
    facts.scope.split(' ').every((name) => permitted.has(name))
  )
}

/** Whether the needs of a rule are met by what was granted, or by an emergency that the rule allows. */
export function meetsNeeds(
  { kind, decisions }: PermitRecord,
  needs: readonly Need[],
  allowsEmergency: boolean,
): boolean {
  if (kind === 'emergency') return allowsEmergency
  return needs.every((need) => decisions.some((each) => each.need === need && each.isGranted))
}

/**
 * @param holder the newest permit of the same operator, customer and application
 * @param pauseMs after a refusal, in milliseconds
 * @throws PermitError where it stands in the way of another one
 */
export function assertMayRequest(
  holder: PermitRecord | undefined,
  now: number,
  pauseMs: number,
): void {
  if (!holder) return
  const permit = permitAt(holder, now)
  if (permit.state === 'requested') {
    throw new PermitError('already_requested', 'this is asked for already', { permit })
  }
  const left = holder.lastAt + pauseMs - now
  if (permit.state === 'refused' && left > 0) {
    const retryAfter = Math.ceil(left / 1000)
    throw new PermitError('refused_lately', 'this was refused: ask again later', {
      ...{ permit, retryAfter },
    })
  }
}

/** @throws PermitError where the permit is not open, or the need is not to be decided any more */
export function assertUndecided(record: PermitRecord, need: Need, now: number): void {
  const permit = permitAt(record, now)
  const isOpen = permit.state === 'requested' && record.needs.includes(need)
  if (isOpen && !record.decisions.some((each) => each.need === need)) return
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
    ...{ permit: id, subject: customer.id },
    mayAct: { sub: operator.id, clientId: application },
  }
}

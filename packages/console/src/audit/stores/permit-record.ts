import {
  asciiJson,
  type StoredPermit,
  type StoredPermitState,
} from 'oidc-provider-impersonation-verify/format'
import type { Decision } from '../permit-store.ts'

/** How a database keeps a permit: as JSON. */
export function encodePermit(permit: StoredPermit): string {
  const { id, version, at, customer, operator, slot, state, isReviewDue, overAt, data } = permit
  const { noticeDueAt } = permit
  return asciiJson({
    ...{ id, version, at, customer, operator, slot, state, isReviewDue, overAt, data },
    noticeDueAt,
  })
}

/** @throws Error when the text is not that of a permit. */
export function parsePermit(text: unknown): StoredPermit {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  if (!isPermit(value)) throw new Error('the storage of the audit has a permit that cannot be read')
  const { customer, operator, slot, overAt } = value
  return { ...value, customer, operator, slot, overAt }
}

/** Whether what is stored is still what was looked at. */
export function isUpToDate(
  { permit, replaces, slotHolder }: Decision,
  stored: StoredPermit | undefined,
  holder: StoredPermit | undefined,
): boolean {
  if ((stored?.version ?? 0) !== replaces) return false
  if (replaces > 0 || permit.slot === undefined) return true
  return holder?.id === slotHolder?.id && holder?.version === slotHolder?.version
}

const PERMIT_STATES: readonly unknown[] = [
  'granted',
  'paused',
  'refused',
  'requested',
  'resumed',
  'revoked',
] satisfies readonly StoredPermitState[]

function isPermit(value: unknown): value is StoredPermit {
  if (typeof value !== 'object' || value === null) return false
  const is = (type: string, ...names: readonly string[]) =>
    names.every((name) => typeof Reflect.get(value, name) === type)
  const isAbsentOr = (type: string, name: string) =>
    Reflect.get(value, name) === undefined || is(type, name)
  return (
    is('string', 'id', 'data') &&
    is('number', 'version', 'at') &&
    is('boolean', 'isReviewDue') &&
    PERMIT_STATES.includes(Reflect.get(value, 'state')) &&
    isAbsentOr('string', 'customer') &&
    isAbsentOr('string', 'operator') &&
    isAbsentOr('string', 'slot') &&
    isAbsentOr('number', 'overAt') &&
    isAbsentOr('number', 'noticeDueAt')
  )
}

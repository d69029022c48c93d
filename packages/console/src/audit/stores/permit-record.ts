import {
  asciiJson,
  type StoredPermit,
  type StoredPermitState,
} from 'oidc-provider-impersonation-verify/format'
import type { Decision } from '../permit-store.ts'
import type { ResultRow } from './stored-columns.ts'

/** How a database keeps a permit: as JSON. */
export function encodePermit(permit: StoredPermit): string {
  const { id, version, at, customer, operator, slot, state, isReviewDue, overAt, data } = permit
  const { noticeDueAt } = permit
  return asciiJson({
    ...{ id, version, at, customer, operator, slot, state, isReviewDue, overAt, data },
    noticeDueAt,
  })
}

/**
 * A permit of its columns. I17: one whose JSON is damaged is found by the other columns as before, so that
 * it stops nothing but itself. Its `data` is what is stored, and cannot be parsed.
 *
 * @throws Error when another column is not that of a permit
 */
export function permitIn(columns: ResultRow): StoredPermit {
  const { customer, operator, slot, overAt, ...permit } = intactIn(columns) ?? damagedIn(columns)
  return { ...permit, customer, operator, slot, overAt }
}

function intactIn({ data }: ResultRow): StoredPermit | undefined {
  try {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
    return isPermit(value) ? value : undefined
  } catch {
    return undefined
  }
}

function damagedIn(columns: ResultRow): StoredPermit {
  const { id, at, customer, operator, slot, state, review_due, over_at, notice_due_at } = columns
  const permit = {
    ...{ id, at, state, isReviewDue: review_due !== null, data: String(columns.data) },
    // How many entries it is the sum of, is not known.
    version: 1,
    ...{ customer: customer ?? undefined, operator: operator ?? undefined },
    ...{ slot: slot ?? undefined, overAt: over_at ?? undefined },
    ...(notice_due_at === null ? {} : { noticeDueAt: notice_due_at }),
  }
  if (isPermit(permit)) return permit
  throw new Error('the storage of the audit has a permit that cannot be read')
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

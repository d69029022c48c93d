import { asciiJson, type StoredPermit } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { SchemasOf } from '../../kernel/input.ts'
import type { Decision } from '../batch.ts'
import type { ResultRow } from './stored-columns.ts'

/** How a database keeps a permit: as JSON. */
export function encodePermit(permit: StoredPermit): string {
  const { id, version, at, customer, operator, slot, state, isReviewDue, overAt, data } = permit
  const { noticeDueAt, alertDueAt } = permit
  return asciiJson({
    ...{ id, version, at, customer, operator, slot, state, isReviewDue, overAt, data },
    noticeDueAt,
    alertDueAt,
  })
}

/** @throws Error when the column is not that of a permit */
export function permitIn({ data }: ResultRow): StoredPermit {
  const value: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
  const { success, output } = v.safeParse(PERMIT, value)
  if (!success) throw new Error('the storage of the audit has a permit that cannot be read')
  const { customer, operator, slot, overAt, ...rest } = output
  return { ...rest, customer, operator, slot, overAt }
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

const PERMIT = v.object({
  id: v.string(),
  version: v.number(),
  at: v.number(),
  customer: v.optional(v.string()),
  operator: v.optional(v.string()),
  slot: v.optional(v.string()),
  state: v.picklist(['granted', 'paused', 'refused', 'requested', 'resumed', 'revoked']),
  isReviewDue: v.boolean(),
  overAt: v.optional(v.number()),
  noticeDueAt: v.optional(v.number()),
  alertDueAt: v.optional(v.number()),
  data: v.string(),
} satisfies SchemasOf<StoredPermit>)

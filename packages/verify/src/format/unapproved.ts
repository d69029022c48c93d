import type { AuditRecord } from './audit-record.ts'

/** In `review`, of an emergency. */
export const EMERGENCY = 'emergency'

/** The same, where something was declined before. */
export const AFTER_REFUSAL = 'after a refusal'

/** Between the reasons for a review, where there are several. */
export const REVIEW_SEPARATOR = '; '

/** How an operator acts whom nobody approved, though the rule asks for it. */
export type Unapproved = 'after_refusal' | 'emergency'

/** The same of a record. */
export function unapprovedBy({
  kind,
  declined,
}: Pick<AuditRecord, 'declined' | 'kind'>): Unapproved | undefined {
  if (kind !== 'emergency') return undefined
  return declined ? 'after_refusal' : 'emergency'
}

/**
 * Whether an operator acts without an approval: the one rule, wherever it is shown, counted or found.
 *
 * @param review why it has to be looked at afterwards
 */
export function unapprovedIn(review: string | undefined): Unapproved | undefined {
  const reasons = review?.split(REVIEW_SEPARATOR) ?? []
  if (reasons.some((reason) => reason.startsWith(AFTER_REFUSAL))) return 'after_refusal'
  return reasons.includes(EMERGENCY) ? 'emergency' : undefined
}

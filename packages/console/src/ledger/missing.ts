import type { Impersonation } from 'oidc-provider-impersonation'
import { storedRowOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type Delivery,
  isDeliveryEvent,
  parseRecord,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { Sum } from './store.ts'

/**
 * Acts on a row, which never begin one. If the row was erased or removed meanwhile, they would make it again: with
 * the name of the customer, or with a hold that seems older than the erasure.
 */
const NEVER_FIRST: readonly string[] = [
  'support.acknowledged',
  'support.held',
  'support.objected',
  'support.released',
]

/**
 * Returns true for an entry that is stored only if its row lacks what it says: after a restart, and to begin an
 * attempt to tell somebody. Or only if there is a row.
 */
export function isConditional({ afterRestart, event }: AuditEntry): boolean {
  return afterRestart === true || NEVER_FIRST.includes(event) || isDeliveryEvent(event)
}

export function isMissing(
  sum: Sum | undefined,
  { event, delivery }: Pick<AuditEntry, 'delivery' | 'event'>,
): boolean {
  const row = sum?.kind === 'impersonation' ? sum.row : undefined
  switch (event) {
    case 'impersonation.issued':
      return row?.askedAt === undefined
    case 'impersonation.started':
      return row?.startedAt === undefined || row.isStartInferred === true
    case 'impersonation.ended':
      return row?.end === undefined
    case 'support.telling':
    case 'support.joined':
      return sum !== undefined && delivery !== undefined && isNextAttempt(sum, delivery)
    case 'support.told':
    case 'support.untold':
      return sum !== undefined
    default:
      return NEVER_FIRST.includes(event) && row !== undefined
  }
}

/** Returns true if it is still to be told, and nobody else began with it. */
function isNextAttempt(sum: Sum, { to, attempt }: Delivery): boolean {
  const isRow = sum.kind === 'impersonation'
  const found = isRow ? storedRowOf(sum.row).found : sum.permit
  const { deliveries } = isRow ? sum.row : parseRecord(sum.permit)
  const last = deliveries?.[to]?.last?.attempt ?? 0
  return found[`${to}DueAt`] !== undefined && attempt === last + 1
}

/** Makes the entries that the audit should have of an impersonation, by the record that the provider keeps of it. */
export function entriesFor(found: Impersonation): AuditEntry[] {
  const {
    id,
    userId,
    actor,
    mayAct,
    requestedBy,
    client,
    resource,
    scope,
    context,
    end,
    software,
  } = found
  const operator = mayAct?.sub === undefined ? undefined : { sub: mayAct.sub }
  const entryAt = (
    seconds: number,
    event: AuditEntry['event'],
    more: Partial<AuditEntry>,
  ): AuditEntry => ({
    event,
    timeMs: seconds * 1000,
    ...present({ id, userId, mayAct, requestedBy, resource, scope, context, ...more }),
    afterRestart: true,
  })
  const { startedAt, expiresAt } = found
  const entries = [
    entryAt(found.issuedAt, 'impersonation.issued', {
      actor: operator,
      expiresAt: found.redeemableUntil,
    }),
  ]
  if (startedAt !== undefined) {
    // A token that a status list knows is a JWT.
    const jti = found.status && `impersonation:${id}`
    const start = { actor, software, client, expiresAt, jti }
    entries.push(entryAt(startedAt, 'impersonation.started', start))
  }
  if (end) {
    const over = { actor: actor ?? operator, software, client, expiresAt, end }
    entries.push(entryAt(end.at, 'impersonation.ended', over))
  }
  return entries
}

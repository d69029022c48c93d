import type { Impersonation } from 'oidc-provider-impersonation'
import {
  type AuditEntry,
  type AuditRow,
  isNextAttempt,
  present,
} from 'oidc-provider-impersonation-verify/format'

/**
 * What is done to a row, and never begins one. Where the row was erased or removed meanwhile, it would make it again:
 * with the name of the customer, or with a hold that seems older than the erasure.
 */
const NEVER_FIRST: ReadonlySet<string> = new Set([
  ...['support.acknowledged', 'support.held', 'support.objected', 'support.released'],
  ...['support.notified', 'support.unnotified', 'support.alerted', 'support.unalerted'],
])

/**
 * Whether an entry is stored only where its row has not what it says: after a restart, and to begin an
 * attempt at a notice, or to put it off. Or only where there is a row.
 */
export function isConditional({ afterRestart, event }: AuditEntry): boolean {
  return (
    afterRestart === true ||
    NEVER_FIRST.has(event) ||
    event === 'support.notifying' ||
    event === 'support.joined' ||
    event === 'support.alerting'
  )
}

export function isMissing(
  row: AuditRow | undefined,
  { event, notice, alert }: Pick<AuditEntry, 'alert' | 'event' | 'notice'>,
): boolean {
  switch (event) {
    case 'impersonation.issued':
      return row?.askedAt === undefined
    case 'impersonation.started':
      return row?.startedAt === undefined || row.isStartInferred === true
    case 'impersonation.ended':
      return row?.end === undefined
    case 'support.notifying':
    case 'support.joined':
      return row !== undefined && notice !== undefined && isNextAttempt(row.notice, notice)
    case 'support.alerting':
      return row !== undefined && alert !== undefined && isNextAttempt(row.alert, alert)
    default:
      return NEVER_FIRST.has(event) && row !== undefined
  }
}

/** What the audit should have of an impersonation, by the record that the provider keeps of it. */
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
  const base = { id, userId, mayAct, requestedBy, resource, scope, context }
  const entries = [
    {
      ...base,
      event: 'impersonation.issued' as const,
      timeMs: found.issuedAt * 1000,
      actor: operator,
      expiresAt: found.redeemableUntil,
    },
    found.startedAt !== undefined && {
      ...base,
      event: 'impersonation.started' as const,
      timeMs: found.startedAt * 1000,
      actor,
      software,
      client,
      expiresAt: found.expiresAt,
      // A token that a status list knows is a JWT.
      jti: found.status && `impersonation:${id}`,
    },
    end && {
      ...base,
      event: 'impersonation.ended' as const,
      timeMs: end.at * 1000,
      actor: actor ?? operator,
      software,
      client,
      expiresAt: found.expiresAt,
      end,
    },
  ]
  return entries
    .filter((entry) => entry !== undefined && entry !== false)
    .map(({ event, timeMs, ...more }) => ({ event, timeMs, ...present(more), afterRestart: true }))
}

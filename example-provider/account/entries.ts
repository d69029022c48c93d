import type { AuditEntry } from '../audit/entry.ts'
import { findPerson } from '../people.ts'
import type { AccountEntry } from './answers.ts'

/** What is about an account: what was done as its owner, and what tells when that ended. */
export function concerns(accountId: string): (entry: AuditEntry) => boolean {
  return ({ event, subject }) =>
    subject === accountId && (isTold(event) || event === 'support.ended')
}

/** Member by member: what is internal stays so, whatever entries will hold some day. */
export function toldTo(
  { time, event, actor, context, scope, expiresAt, jti }: AuditEntry,
  endings: ReadonlyMap<string, number>,
): AccountEntry[] {
  if (!isTold(event)) return []
  const endedAt = jti === undefined ? undefined : endings.get(jti)
  const ticketId = context?.ticketId
  return [
    {
      time,
      event,
      operator: actor ? { id: actor.sub, name: findPerson(actor.sub)?.name ?? actor.sub } : null,
      ticketId: typeof ticketId === 'string' ? ticketId : null,
      scope: scope ?? null,
      expiresAt: expiresAt ?? null,
      ...(endedAt === undefined ? {} : { endedAt }),
    },
  ]
}

function isTold(event: AuditEntry['event']): event is AccountEntry['event'] {
  return (
    event === 'impersonation.granted' ||
    event === 'impersonation.denied' ||
    event === 'impersonation.replayed'
  )
}

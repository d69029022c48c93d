import type { AuditEntry } from '../audit/entry.ts'
import { findPerson } from '../people.ts'
import type { AccountEntry } from './answers.ts'

/** Whether an entry is about this account: an impersonation of its owner, or the end of one. */
export function concerns(accountId: string): (entry: AuditEntry) => boolean {
  return ({ event, subject }) =>
    subject === accountId && (isTold(event) || event === 'support.ended')
}

/** Copies member by member, so that internal members stay internal, also those added later. */
export function toldTo(
  { time, event, actor, context, scope, expiresAt, jti, count, lastTime }: AuditEntry,
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
      ...(count === undefined || lastTime === undefined ? {} : { count, lastTime }),
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

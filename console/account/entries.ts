import type { ImpersonationObject } from 'oidc-provider-impersonation'
import type { AuditEntry } from '../audit/entry.ts'
import type { People } from '../people.ts'
import type { AccountEnd, AccountEntry, RunningImpersonation } from './answers.ts'

/** Whether an entry is about this account: an impersonation of its owner, or the end of one. */
export function concerns(accountId: string): (entry: AuditEntry) => boolean {
  return (entry) =>
    entry.subject === accountId &&
    (isTold(entry) || /^(?:impersonation|support)\.ended$/.test(entry.event))
}

/** Copies member by member, so that internal members stay internal, also those added later. */
export function toldTo(
  entry: AuditEntry,
  endings: ReadonlyMap<string, AccountEnd>,
  people: People,
): AccountEntry[] {
  if (!isTold(entry)) return []
  const { time, event, actor, context, scope, expiresAt, id, count, lastTime } = entry
  const end = id === undefined || event !== 'impersonation.granted' ? undefined : endings.get(id)
  return [
    {
      time,
      event,
      operator: operatorOf(actor, people),
      ticketId: ticketOf(context),
      scope: scope ?? null,
      expiresAt: expiresAt ?? null,
      ...(end === undefined ? {} : { end }),
      ...(count === undefined || lastTime === undefined ? {} : { count, lastTime }),
    },
  ]
}

/** Copies member by member, too. */
export function runningFor(running: ImpersonationObject, people: People): RunningImpersonation {
  const { id, actor, context, scope, startedAt, expiresAt } = running
  return {
    id,
    operator: operatorOf(actor, people),
    ticketId: ticketOf(context),
    scope: scope ?? null,
    startedAt: startedAt ?? null,
    expiresAt: expiresAt ?? null,
  }
}

function operatorOf(actor: AuditEntry['actor'], people: People): AccountEntry['operator'] {
  return actor ? { id: actor.sub, name: people.find(actor.sub)?.name ?? actor.sub } : null
}

function ticketOf(context: AuditEntry['context']): string | null {
  const ticketId = context?.ticketId
  return typeof ticketId === 'string' ? ticketId : null
}

/** An end that was refused is no attempt to act as the customer. */
function isTold(entry: AuditEntry): entry is AuditEntry & Pick<AccountEntry, 'event'> {
  const { event, denial } = entry
  return (
    event === 'impersonation.granted' ||
    event === 'impersonation.replayed' ||
    (event === 'impersonation.denied' && denial?.stage !== 'end')
  )
}

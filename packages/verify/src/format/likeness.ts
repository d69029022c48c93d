import { digestOf } from './digest.ts'
import { type AuditEntry, SET_ASIDE, USED_EVENT } from './entry.ts'

/**
 * Returns the same text for events that are alike. An attacker can replay a used token without a credential, as fast
 * as the provider answers: with an entry each, these would hide all others. Returns `undefined` for an event that
 * always has an entry of its own.
 *
 * - A replay: same token, client and actor.
 * - A denial at the exchange or at an end: same token, client, actor and error. The log has every reason.
 * - A denial at issue, or for a token that does not exist: same members except the time, the id and
 *   the reason, which may repeat what the request said.
 * - A refusal by the console: same members except the time.
 * - A request that the guard of an API refused: same token, method, path and refusal.
 * - What was set aside without an id: same event, sender and reason. The log has each.
 *
 * Client and actor are part of it, so that a harmless attempt cannot hide a later attempt by another
 * client or actor.
 */
export function likenessOf(entry: AuditEntry): string | undefined {
  const { event, id, userId, requestedBy, actor, mayAct, client, scope, context, denial, use } =
    entry
  const who = [event, client, actor, entry.by]
  switch (event) {
    case 'impersonation.replayed':
      return likeness(...who, id)
    case 'impersonation.denied':
      // An id without a user belongs to no token. It would be different at each attempt.
      return id !== undefined && userId !== undefined
        ? likeness(...who, id, denial?.stage, denial?.error)
        : likeness(...who, userId, requestedBy, mayAct, context, denial?.stage, denial?.error)
    case 'support.refused':
      return likeness(...who, userId, scope, context, denial)
    case USED_EVENT:
      return use?.refused
        ? likeness(...who, id, userId, use.audience, use.method, use.path, use.refused)
        : undefined
    case SET_ASIDE:
      // A refusal of a store about an impersonation is an entry of its own.
      return id === undefined
        ? likeness(...who, entry.setAside?.event, entry.setAside?.why)
        : undefined
    default:
      return undefined
  }
}

function likeness(...parts: readonly unknown[]): string {
  return digestOf(JSON.stringify(parts))
}

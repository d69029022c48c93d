import type { Binding } from '../public/binding.ts'
import type { ImpersonationEvent } from '../public/events.ts'
import type {
  ImpersonationEnd,
  ImpersonationObject,
  ImpersonationState,
} from '../public/lifecycle.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'

/** Where an impersonation stands: derived from its record, never stored. */
export function stateOf(token: SubjectToken): ImpersonationState {
  if (token.end) return 'ended'
  if (!token.consumed) return token.isExpired ? 'expired' : 'issued'
  // A process of the version before keeps no note: nothing tells then when its token expires.
  const { expiresAt } = token.note ?? {}
  return expiresAt !== undefined && expiresAt <= Date.now() / 1000 ? 'expired' : 'active'
}

/** An impersonation as it is shown. */
export function objectOf(token: SubjectToken): ImpersonationObject {
  const { note } = token
  const binding = bindingOf(token)
  return Object.freeze(
    known({
      id: token.jti,
      state: stateOf(token),
      userId: token.accountId,
      actor: note?.act,
      mayAct: binding.mayAct,
      issuedTo: token.clientId,
      client: note?.client,
      resource: note?.resource ?? binding.resource,
      scope: note ? note.scope : binding.scope,
      context: token.contextObject,
      issuedAt: token.iat,
      redeemableUntil: token.exp ?? token.iat,
      startedAt: typeof token.consumed === 'number' ? token.consumed : undefined,
      expiresAt: note?.expiresAt,
      end: endOf(token),
      status: statusOf(token),
    }),
  )
}

/** What the event says of an impersonation that has ended. */
export function eventOf(token: SubjectToken): Partial<ImpersonationEvent> {
  const { note } = token
  const binding = bindingOf(token)
  return known({
    id: token.jti,
    subject: token.accountId,
    actor:
      note?.act ?? (binding.mayAct?.sub === undefined ? undefined : { sub: binding.mayAct.sub }),
    mayAct: binding.mayAct,
    issuedTo: token.clientId,
    client: note?.client,
    resource: note?.resource ?? binding.resource,
    scope: note ? note.scope : binding.scope,
    context: token.contextObject,
    expiresAt: note?.expiresAt,
    end: endOf(token),
  })
}

/** A record of the version before may have none. That redeems nothing, and can be seen and ended. */
function bindingOf(token: SubjectToken): Binding {
  return token.binding === undefined ? {} : token.bindingObject
}

function endOf({ end }: SubjectToken): ImpersonationEnd | undefined {
  if (!end) return undefined
  const { attempt: _, ...shown } = end
  return Object.freeze(shown)
}

function statusOf({ note, tokenStatus }: SubjectToken) {
  return note && note.format !== 'jwt' ? undefined : tokenStatus?.status_list
}

/** Without the members that are `undefined`. */
function known<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}

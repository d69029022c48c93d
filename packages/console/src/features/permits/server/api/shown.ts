import {
  canSay,
  present,
  SAID_EVENTS,
  type SaidEvent,
  type Speaking,
  saidIn,
  speakersOf,
} from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../../../kernel/roles.ts'
import type { Permit } from '../../../../records/record-at.ts'
import type { Records } from '../../../../records/records.ts'
import type { Approver } from '../../../../records/who.ts'
import { canChange, nameIn } from '../../../../web/applications.ts'
import { orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { Call, Caller, CustomerCall } from '../../../../web/parts.ts'
import { ticketLink } from '../../../../web/ticket-link.ts'
import type { ConsolePermits } from '../options.ts'
import type { DecidersAnswer, PastPermitAnswer, PermitAnswer } from './answers.ts'

/** So many are named of those who can decide. */
const MAX_NAMED = 3

/** A permit with who can decide on it; `undefined`: leads. */
export interface Decidable {
  readonly permit: Permit
  readonly approvers: readonly Approver[] | undefined
}

/** What permits add to the parts of the API. */
export interface PermitParts {
  /** Absent where the console has none. */
  readonly permits: ConsolePermits | undefined
  /** What waits for a word, with permits and without: operators who may not start. */
  readonly records: Records
}

export type PermitCall = Call & PermitParts
export type CustomerPermitCall = CustomerCall & PermitParts

/** @throws Problem 404 where the console has no permits */
export function requirePermits({ permits }: PermitParts): ConsolePermits {
  if (permits) return permits
  throw new Problem(404, 'not_found', 'there is nothing here')
}

export function findDeciders(permits: ConsolePermits, permit: Permit): Promise<Decidable> {
  return orUnavailable('who can decide cannot be looked up now', async () => ({
    permit,
    approvers: await permits.records.who.approvers(permit),
  }))
}

/** As what the caller speaks. */
export function speakingOf(
  { approvers }: Pick<Decidable, 'approvers'>,
  { id, role }: Pick<Caller, 'id' | 'role'>,
): Speaking {
  const isLead = role === 'lead'
  const isApprover = approvers ? approvers.some((each) => each.id === id) : isLead
  return {
    id,
    is: [...(isApprover ? (['approver'] as const) : []), ...(isLead ? (['lead'] as const) : [])],
  }
}

export function mayDecide(
  { permit, approvers }: Decidable,
  caller: Pick<Caller, 'id' | 'role'>,
): boolean {
  return speakersOf(permit, speakingOf({ approvers }, caller)).includes('approver')
}

/** Whether a second person has something to do: to decide, or to look at an emergency afterwards. */
export function awaitsSecondPerson(permit: Permit): boolean {
  const somebody = { id: '', is: ['approver'] } as const
  const can = (event: SaidEvent) => canSay(permit, event, somebody, Date.now())
  return can('granted') || can('reviewed')
}

/** The permit, with what was refused before, for who decides or reviews. */
export async function shownWithRefusals(
  decidable: Decidable,
  call: PermitCall,
): Promise<PermitAnswer> {
  const shown = shownPermit(decidable, call)
  const { permits } = call
  if (!permits || !(shown.may.includes('granted') || shown.may.includes('reviewed'))) return shown
  const found = await permits.refusals(decidable.permit)
  if (found.length === 0) return shown
  const refusals = found.map(({ permit: { id, ticket, said }, by, at }) => ({
    ...{ id, by, at },
    ...present({ ticket, note: saidIn({ said }, 'declined')?.note }),
  }))
  return { ...shown, refusals }
}

export function maySeePermit(decidable: Decidable, caller: Caller): boolean {
  const isMine = decidable.permit.operator.id === caller.id
  return isMine || isAudited(caller.role) || mayDecide(decidable, caller)
}

export function shownPermit(
  decidable: Decidable,
  call: Pick<Call, 'caller' | 'language' | 'settings'>,
): PermitAnswer {
  const { caller } = call
  const { permit } = decidable
  const isMine = permit.operator.id === caller.id
  const { person, now } = { person: speakingOf(decidable, caller), now: Date.now() }
  const may = SAID_EVENTS.filter((event) => canSay(permit, event, person, now))
  return { ...permit, ...namedApplication(permit, call), isMine, may }
}

/** One of the past: what can be done with it, its own page says. */
export function shownPast(
  permit: Permit,
  call: Pick<Call, 'caller' | 'language' | 'settings'>,
): PastPermitAnswer {
  const isMine = permit.operator.id === call.caller.id
  return { ...permit, ...namedApplication(permit, call), isMine }
}

/** What the console knows of the application and of the ticket. */
export function namedApplication(
  { application, scope, ticket }: Pick<Permit, 'application' | 'scope' | 'ticket'>,
  { language, settings }: Pick<Call, 'language' | 'settings'>,
) {
  const { applications } = settings
  const known = applications.find(({ clientId }) => clientId === application)
  return {
    ...present({
      applicationName: known && nameIn(known, language),
      canChange: canChange(applications, application, scope),
    }),
    ...ticketLink(ticket, settings),
  }
}

export function shownDeciders({ approvers }: Pick<Decidable, 'approvers'>): DecidersAnswer {
  if (!approvers) return { names: [], others: 0, isLeads: true }
  const names = approvers.slice(0, MAX_NAMED).map(({ id, name }) => name ?? id)
  return { names, others: approvers.length - names.length, isLeads: false }
}

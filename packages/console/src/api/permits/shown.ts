import { present } from 'oidc-provider-impersonation-verify/format'
import { orUnavailable, Problem } from '../../http/problem.ts'
import { PermitError } from '../../permits/errors.ts'
import type { Approver, Permits } from '../../permits/options.ts'
import { needsReview, type Pause, type Permit } from '../../permits/permit.ts'
import { isAudited } from '../../sign-in/roles.ts'
import { canChange } from '../applications.ts'
import { ticketLink } from '../console/ticket-link.ts'
import type { Call, Caller, Parts } from '../parts.ts'
import type { DecidersAnswer, PermitAnswer } from './answers.ts'

/** So many are named of those who can decide. */
const MAX_NAMED = 3

/** A permit with who can decide on it; `undefined`: leads. */
export interface Decidable {
  readonly permit: Permit
  readonly approvers: readonly Approver[] | undefined
}

/** @throws Problem 404 where the console has no permits */
export function requirePermits({ settings }: Pick<Parts, 'settings'>): Permits {
  if (settings.permits) return settings.permits
  throw new Problem(404, 'not_found', 'there is nothing here')
}

/** What permits throw, as an answer. */
export async function permitting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermitError ? problemOf(error, error.permit) : error
  }
}

/** The same for a customer: the reason that an operator gave is not theirs to read. */
export async function permittingCustomer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermitError ? problemOf(error, undefined) : error
  }
}

function problemOf(error: PermitError, permit: Permit | undefined): Problem {
  const { statusCode, error: code, message, retryAfter, cause } = error
  return new Problem(statusCode, code, message, {
    ...(cause === undefined ? {} : { cause }),
    more: present({ permit, retryAfter }),
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
  })
}

export function findDeciders(permits: Permits, permit: Permit): Promise<Decidable> {
  return orUnavailable('who can decide cannot be looked up now', async () => ({
    permit,
    approvers: await permits.findApprovers(permit),
  }))
}

export function mayDecide(
  {
    permit,
    approvers,
  }: Pick<Decidable, 'approvers'> & { readonly permit: Pick<Pause, 'customer' | 'operator'> },
  { id, role }: Pick<Caller, 'id' | 'role'>,
): boolean {
  if (id === permit.operator.id || id === permit.customer?.id) return false
  return approvers ? approvers.some((each) => each.id === id) : role === 'lead'
}

/** Whether a second person has something to do: to decide, or to look at an emergency afterwards. */
export function awaitsSecondPerson(permit: Permit): boolean {
  return awaits(permit) || needsReview(permit)
}

function awaits({ state, needs, decisions }: Permit): boolean {
  const need = 'second_person'
  return (
    state === 'requested' &&
    needs.includes(need) &&
    !decisions.some((decision) => decision.need === need)
  )
}

/** Of a refusal by an approver: the customer's is the customer's to lift. */
function isLiftable({ state, lifted, decisions }: Permit): boolean {
  const isCustomers = decisions.some(({ need, isGranted }) => need === 'user' && !isGranted)
  return state === 'refused' && !lifted && !isCustomers
}

/** The permit, with what was refused before, for who decides or reviews. */
export async function shownWithRefusals(
  decidable: Decidable,
  call: Pick<Call, 'caller' | 'settings'>,
): Promise<PermitAnswer> {
  const shown = shownPermit(decidable, call)
  const { permits } = call.settings
  if (!permits || !(shown.may.includes('grant') || shown.may.includes('review'))) return shown
  const found = await permitting(() => permits.refusals(decidable.permit))
  if (found.length === 0) return shown
  const refusals = found.map(({ permit: { id, ticket, decisions }, by, at }) => ({
    ...{ id, by, at },
    ...present({ ticket, note: decisions.find(({ isGranted }) => !isGranted)?.note }),
  }))
  return { ...shown, refusals }
}

export function maySee(decidable: Decidable, caller: Caller): boolean {
  const isMine = decidable.permit.operator.id === caller.id
  return isMine || isAudited(caller.role) || mayDecide(decidable, caller)
}

export function shownPermit(
  decidable: Decidable,
  { caller, settings }: Pick<Call, 'caller' | 'settings'>,
): PermitAnswer {
  const { permit } = decidable
  const isMine = permit.operator.id === caller.id
  const isDecider = mayDecide(decidable, caller)
  const isOpen = permit.state === 'requested' || permit.state === 'granted'
  const may: PermitAnswer['may'] = [
    ...(isDecider && awaits(permit) ? (['grant'] as const) : []),
    ...(isOpen && (isMine || isDecider) ? (['revoke'] as const) : []),
    ...(isDecider && needsReview(permit) ? (['review'] as const) : []),
    ...(isDecider && isLiftable(permit) ? (['lift'] as const) : []),
  ]
  return { ...permit, ...namedApplication(permit, settings), isMine, may }
}

/** What the console knows of the application and of the ticket. */
export function namedApplication(
  { application, scope, ticket }: Pick<Permit, 'application' | 'scope' | 'ticket'>,
  settings: Parts['settings'],
) {
  const { applications } = settings
  return {
    ...present({
      applicationName: applications.find(({ clientId }) => clientId === application)?.name,
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

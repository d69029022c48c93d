import type { Need } from 'oidc-provider-impersonation'
import { hasSeenEnds } from 'oidc-provider-impersonation/siblings'
import {
  isPlain,
  isSeen,
  MAX_REASON_LENGTH,
  present,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { exactly, objectOf, oneOf, readBy } from '../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../kernel/limits.ts'
import type { ActBody } from '../answers.ts'
import type { Application } from '../applications.ts'
import type { Customer } from '../customer-directory.ts'
import { optionalText, writtenText } from '../http/json-body.ts'
import { invalid, Problem } from '../http/problem.ts'
import { checked, orDigits } from '../http/query.ts'
import type { AskedFor, Call, Parts } from '../parts.ts'
import type { Approval, RecordAnswer } from '../record-answer.ts'
import { isTicket } from '../ticket.ts'
import type { Refusal } from './refusals.ts'

/** Seconds until a subject token is worth nothing: enough to open a page. */
const HAND_OVER_LIFETIME = 60

/** Reads the request of a person who may not act, only for the record. */
export async function refusedRequest({
  input,
  settings,
}: Pick<Call, 'input' | 'settings'>): Promise<Refusal['request']> {
  try {
    return requestOf(readBy(objectOf(actEntries(settings)), await input(), invalid))
  } catch {
    return undefined
  }
}

/**
 * Reads and counts a request. Records a refusal.
 *
 * @throws Problem 404 for a customer that there is not, 403 for one who is protected, or objected, 429 where the operator
 * asks too often
 */
export async function askFor(call: Call, asked: ActBody): Promise<AskedFor> {
  try {
    const found = await requestFor(call, asked)
    await call.limitIssues(call.caller.id)
    return found
  } catch (problem) {
    if (problem instanceof Problem && [403, 404].includes(problem.statusCode)) {
      const { error, message: reason } = problem
      const protects = error === 'access_denied' || undefined
      const request = requestOf(asked)
      await call.refusals.keep({ operator: call.caller.id, error, reason, protects, request }, true)
    }
    throw problem
  }
}

/** @throws Problem 404 for a customer that there is not, 403 for the operator, and for one who is protected, or objected */
export async function requestFor(call: Call, asked: ActBody): Promise<AskedFor> {
  const { caller, gate, settings } = call
  const application = settings.applications.find(({ clientId }) => clientId === asked.application)
  if (!application) throw invalid('application is not known')
  const customer = await findCustomer(call, asked.userId)
  if (customer.id === caller.id) {
    throw new Problem(403, 'own_account', 'nobody acts as themselves')
  }
  if (customer.protected !== undefined) {
    throw new Problem(403, 'access_denied', customer.protected)
  }
  const stop = await gate.findStop(call, customer.id)
  if (stop) throw gate.stoppedProblem(stop)
  const { ticketId, reason, access, duration } = asked
  const request = {
    userId: customer.id,
    // Good for this operator in this application, for its API, and for these scopes at most.
    mayAct: { sub: caller.id, clientId: application.clientId },
    resource: application.resource,
    scope: scopeOf(application, access),
    expiresIn: HAND_OVER_LIFETIME,
    context: { ticketId, reason, supportEngineerId: caller.id, access, ...present({ duration }) },
  }
  return { application, customer, request }
}

/** @throws Problem 404 if there is no such customer */
export async function findCustomer({ directory, language }: Call, id: string): Promise<Customer> {
  // A database may fail at what no id can be: that would read as trouble.
  const isId = isPlain(id) && id.length <= MAX_ID_LENGTH
  const customer = isId ? await directory.get(id, language) : undefined
  if (!customer) throw new Problem(404, 'user_not_found', 'there is no such customer')
  return customer
}

function requestOf(asked: ActBody): Refusal['request'] {
  const { userId, application, ticketId, reason, access, duration } = asked
  return {
    userId,
    mayAct: { clientId: application },
    context: { ticketId, reason, access, duration },
  }
}

/** The members of {@link ActBody}. */
export function actEntries({ applications, durations, ticket }: Parts['settings']) {
  const choice = durations.length > 0 ? `must be one of: ${durations.join(', ')}` : 'is no choice'
  return {
    userId: v.pipe(
      v.string('must be a text'),
      v.check(hasSeenEnds, 'must not begin or end with a blank or an invisible character'),
      writtenText(MAX_ID_LENGTH),
    ),
    ticketId: v.pipe(
      writtenText(100),
      // Else a search for the ticket would not find what was done for it.
      v.check(isSeen, 'must not contain characters that are not seen'),
      v.check((text) => isTicket(text, ticket) !== false, 'is not a ticket number'),
    ),
    reason: writtenText(MAX_REASON_LENGTH),
    application: oneOf(applications.map(({ clientId }) => clientId)),
    access: oneOf(['read', 'change']),
    duration: v.optional(orDigits(v.picklist(durations, choice))),
  }
}

/** The reason in the context of a question to the rule, as long as nobody has typed one. */
export const REASON_OF_QUESTION = 'a question beforehand'

/** @throws Problem 400 for a member of {@link ActBody} that is wrong */
export function readAsked({ settings }: Pick<Parts, 'settings'>, given: object): ActBody {
  return readBy(exactly(actEntries(settings)), given, invalid)
}

/** The members of the form to act, whichever of its buttons is pressed. */
export const actForm = ({ settings }: Pick<Parts, 'settings'>) => ({
  ...actEntries(settings),
  /** `true` if it replaces what the caller runs in the application. */
  instead: checked,
  isEmergency: checked,
  /** The reason why it cannot wait for an approval. */
  emergency: optionalText(MAX_REASON_LENGTH),
})

function scopeOf({ scopes }: Application, access: ActBody['access']): string {
  const { read, change } = scopes
  if (access === 'change' && change === undefined) {
    throw invalid('access must be read in this application')
  }
  const all = access === 'change' ? `${read} ${change}` : read
  return [...new Set(all.match(/\S+/g))].join(' ')
}

/** The answer that an operator would get now. It is no promise: a start asks again. */
export interface Foreseen {
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** The part that refuses, for `'refused'`. */
  readonly by?: 'protected' | 'role' | 'rule' | 'self' | 'stop' | undefined
  /** The sentence of the directory, for `'protected'`. */
  readonly reason?: string | undefined
  readonly record?: RecordAnswer | undefined
  /** The longest time in seconds, if known, for `'allowed'`. */
  readonly seconds?: number | undefined
  /** The permits that allow it, for `'allowed'`. */
  readonly permits?: readonly string[] | undefined
  /** The approvals, for `'needs'`. */
  readonly needs?: readonly Need[] | undefined
  /** The people who can give it, as an operator reads it, for `'needs'` if the console has permits. */
  readonly approval?: Approval | undefined
}

/** Finds the answer that the operator would get. The rule sees the request of the caller. */
export async function foresee(call: Call, body: ActBody): Promise<Foreseen> {
  try {
    const asked = await requestFor(call, body)
    const { verdict, accessTokenTtl, permit, needs, emergency } = await call.preview(
      asked.request,
      call.ctx,
    )
    if (verdict === 'refused') return { verdict, by: 'rule' }
    if (verdict === 'allowed') {
      const limits = [accessTokenTtl, body.duration].flatMap((seconds) => seconds ?? [])
      const seconds = limits.length > 0 ? Math.min(...limits) : undefined
      return { verdict, seconds, permits: permit === undefined ? permit : [permit].flat() }
    }
    const approval = await call.gate.findApproval(call, asked, body, { by: needs ?? [], emergency })
    return { verdict, needs, approval }
  } catch (problem) {
    const { error, message, more } = problem instanceof Problem ? problem : {}
    const by = Object.entries(REFUSED_BY).find(([known]) => known === error)?.[1]
    if (!by) throw problem
    const reason = by === 'protected' ? message : undefined
    return { verdict: 'refused', by, reason, ...(more as { record?: RecordAnswer } | undefined) }
  }
}

/** The part that refuses, by the error. */
const REFUSED_BY = { own_account: 'self', access_denied: 'protected', stopped: 'stop' } as const

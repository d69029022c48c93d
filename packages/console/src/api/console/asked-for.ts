import type { SubjectTokenRequest } from 'oidc-provider-impersonation'
import { isSeen, MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { type Body, parseTextMember, readBody } from '../../http/json-body.ts'
import { invalid, Problem } from '../../http/problem.ts'
import type { Application } from '../../options.ts'
import type { Call, Parts } from '../parts.ts'
import { assertNotPaused } from '../pauses/pauses.ts'
import type { Refusal } from '../refusals.ts'
import type { ActBody, CustomerAnswer } from './answers.ts'

/** Seconds until a subject token is worth nothing: enough to open a page. */
const HAND_OVER_LIFETIME = 60

export async function readActBody(call: Pick<Call, 'ctx' | 'settings'>): Promise<ActBody> {
  const members = ['userId', 'ticketId', 'reason', 'application', 'access', 'duration']
  return parseActBody(await readBody(call.ctx, ...members), call)
}

/** What a person asked for who may not act: for the record alone. */
export async function refusedRequest(
  call: Pick<Call, 'ctx' | 'settings'>,
): Promise<Refusal['request']> {
  try {
    return requestOf(await readActBody(call))
  } catch {
    return undefined
  }
}

/** What an operator asks for, as the provider is asked. */
export interface AskedFor {
  readonly application: Application
  readonly customer: CustomerAnswer
  readonly request: SubjectTokenRequest & {
    readonly mayAct: { readonly sub: string; readonly clientId: string }
    readonly resource: string
    readonly scope: string
  }
}

/**
 * What is asked for, counted. A refusal is recorded.
 *
 * @throws Problem 404 for a customer that there is not, 403 for one who is protected, or objected, 429 where the operator
 * asks too often
 */
export async function askFor(call: Call, asked: ActBody): Promise<AskedFor> {
  const found = await requestFor(call, asked).catch((problem: unknown) =>
    refuse(call, asked, problem),
  )
  await call.limitIssues(call.caller.id)
  return found
}

/** @throws Problem 404 for a customer that there is not, 403 for one who is protected, or objected */
export async function requestFor(call: Call, asked: ActBody): Promise<AskedFor> {
  const { caller, directory, settings } = call
  const application = requireApplication(asked.application, settings)
  const customer = await directory.get(asked.userId)
  if (!customer) throw new Problem(404, 'user_not_found', 'there is no such customer')
  if (customer.protected !== undefined) {
    throw new Problem(403, 'access_denied', customer.protected)
  }
  await assertNotPaused(call, customer.id)
  const { ticketId, reason, access, duration } = asked
  const request = {
    userId: customer.id,
    // Good for this operator in this application, for its API, and for these scopes at most.
    mayAct: { sub: caller.id, clientId: application.clientId },
    resource: application.resource,
    scope: scopeOf(application, access),
    expiresIn: HAND_OVER_LIFETIME,
    context: {
      ticketId,
      reason,
      supportEngineerId: caller.id,
      access,
      ...(duration === undefined ? {} : { duration }),
    },
  }
  return { application, customer, request }
}

async function refuse(call: Call, asked: ActBody, problem: unknown): Promise<never> {
  const isRefusal = problem instanceof Problem && [403, 404].includes(problem.status)
  if (!isRefusal) throw problem
  const protects = problem.error === 'access_denied' ? true : undefined
  const refusal: Refusal = {
    operator: call.caller.id,
    error: problem.error,
    reason: problem.message,
    protects,
    request: requestOf(asked),
  }
  await call.refusals.ofStaff(refusal)
  throw problem
}

function requestOf(asked: ActBody): Refusal['request'] {
  const { userId, application, ticketId, reason, access, duration } = asked
  return {
    subject: userId,
    mayAct: { clientId: application },
    context: { ticketId, reason, access, ...(duration === undefined ? {} : { duration }) },
  }
}

export function parseActBody(body: Body, { settings }: Pick<Call, 'settings'>): ActBody {
  const userId = parseTextMember(body, 'userId', 255)
  const ticketId = parseTextMember(body, 'ticketId', 100)
  // Else a search for the ticket would not find what was done for it.
  if (!isSeen(ticketId)) throw invalid('ticketId must not contain characters that are not seen')
  if (settings.ticketPattern?.whole.test(ticketId) === false) {
    throw invalid('ticketId is not a ticket number')
  }
  const reason = parseTextMember(body, 'reason', MAX_REASON_LENGTH)
  const application = parseTextMember(body, 'application', 255)
  const { access, duration } = body
  if (access !== 'read' && access !== 'change') throw invalid('access must be read or change')
  const known = requireApplication(application, settings)
  if (access === 'change' && known.scopes.change === undefined) {
    throw invalid('access must be read in this application')
  }
  return {
    userId,
    ticketId,
    reason,
    application,
    access,
    ...(duration === undefined ? {} : { duration: parseDuration(duration, settings) }),
  }
}

function parseDuration(value: unknown, { durations }: Parts['settings']): number {
  const found = durations.find((duration) => duration === value)
  if (found !== undefined) return found
  const choice = durations.length > 0 ? `must be one of: ${durations.join(', ')}` : 'is no choice'
  throw invalid(`duration ${choice}`)
}

function requireApplication(clientId: string, { applications }: Parts['settings']): Application {
  const found = applications.find((application) => application.clientId === clientId)
  if (found) return found
  const known = applications.map((application) => application.clientId).join(', ')
  throw invalid(`application must be one of: ${known}`)
}

function scopeOf({ scopes }: Application, access: ActBody['access']): string {
  const all = access === 'change' ? `${scopes.read} ${scopes.change ?? ''}` : scopes.read
  return [...new Set(all.split(' ').filter((scope) => scope !== ''))].join(' ')
}

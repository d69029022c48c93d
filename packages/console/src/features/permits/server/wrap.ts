import type { AuthorizationRequest, Authorize, Need, Verdict } from 'oidc-provider-impersonation'
import { explainRefusal } from 'oidc-provider-impersonation/siblings'
import {
  isNeedMet,
  isSameTicket,
  type PermitRecord,
  present,
  recordStateAt,
} from 'oidc-provider-impersonation-verify/format'
import { findInForce } from '../../../records/in-force.ts'
import type { Records } from '../../../records/records.ts'
import { type StandingSettings, standingIn } from './answers.ts'
import type { RequestFacts, TicketOf } from './options.ts'
import { unfitWarner } from './unbound.ts'

/**
 * Wraps the rule. If it answers `needs`, and a granted permit fits the facts of the request, or the customer's
 * standing answer does, they are met. The lifetime of the access token ends with the window, and is no longer than
 * the `duration` that was approved. Of several permits the one counts whose window ends last.
 *
 * @param standing what customers may answer for all requests; `undefined` if they may not
 */
export function wrapRule(
  rule: Authorize,
  records: Records,
  standing: StandingSettings | undefined,
  ticketOf: TicketOf,
): Authorize {
  const warnOfUnfit = unfitWarner()
  return async (request) => {
    const ruled = await rule(request)
    // The provider refuses what is no verdict.
    if (!ruled || (ruled !== true && typeof ruled !== 'object')) return ruled
    const at = records.now()
    const { stop, answer, permits } = await look(request, at)
    if (stop) {
      explainRefusal(request, 'the operator is stopped: a customer objected, or a lead said so')
      return false
    }
    if (!standing && !hasNeeds(ruled)) return ruled
    records.attached()
    const isAsking = answer?.choice === 'ask'
    const verdict = isAsking ? needingUser(ruled) : ruled
    if (!hasNeeds(verdict)) return verdict
    const { needs, emergency, ...limits } = verdict
    const facts = startFactsOf(request, limits.scope)
    if (typeof facts === 'string') {
      const why = `no permit fits this request, whatever is approved: ${facts}`
      explainRefusal(request, isAsking ? `${CANNOT_ASK}: ${why}` : why)
      if (request.stage === 'issue') warnOfUnfit(why)
      return isAsking ? false : verdict
    }
    const open = needs.includes('user') && answer?.choice === 'allow' ? answer : undefined
    const left = open ? needs.filter((need) => need !== 'user') : needs
    if (open && left.length === 0) return permitted(limits, open, at) ?? verdict
    const ticket: unknown = ticketOf(request)
    if (typeof ticket !== 'string' || ticket.trim() === '') {
      explainRefusal(request, NO_TICKET)
      return { ...verdict, needs: left }
    }
    const [permit] = permits
      .filter((record) => isAllowedBy(record, facts, ticket, at))
      // An emergency meets them all, as long as the rule allows it.
      .filter((record) =>
        record.kind === 'emergency'
          ? emergency === true
          : left.every((need) => isNeedMet(record, need)),
      )
      .toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))
    const given = permit && permitted(limits, permit, at)
    return given ?? { ...verdict, needs: left }
  }

  /** Finds all that was said before, by one statement for each stage. */
  async function look(request: AuthorizationRequest, now: number) {
    const operators = operatorsIn(request)
    const { accountId } = request.account
    const isAsked = standing !== undefined || operators.length > 0
    const found =
      isAsked &&
      (await records.reading(() => findInForce(records.store, operators, accountId, now)))
    const { stop, answer, permits = [] } = found || {}
    return { stop, permits, answer: standing && standingIn(answer, standing.initially) }
  }
}

const CANNOT_ASK = 'the customer is to be asked, and cannot be asked for this'
const NO_TICKET = 'options.ticketOf of createPermits answers no ticket: no permit fits'

/** The people who act: the operator whom the token is bound to, and the operator who acts. */
function operatorsIn({ mayAct, actor }: AuthorizationRequest) {
  return [mayAct?.sub ?? [], actor?.sub ?? []].flat()
}

/** The customer is asked, whatever the rule says. If the rule had no needs, there is no emergency. */
function needingUser(ruled: Exclude<Verdict, false>): Verdict {
  const { needs = [], ...limits } = ruled === true ? {} : ruled
  return { ...limits, needs: [...new Set<Need>([...needs, 'user'])] }
}

/** Checks whether a permit allows a start at this time. By facts: no caller names a permit. */
function isAllowedBy(record: PermitRecord, facts: RequestFacts, ticket: string, now: number) {
  const { grantedAt, customer, operator, application, resource, scope } = record
  const permitted = new Set(scope.split(' '))
  return (
    recordStateAt(record, now) === 'granted' &&
    // A clock that was set back opens nothing early.
    grantedAt !== undefined &&
    grantedAt <= now &&
    customer.id === facts.customer &&
    operator.id === facts.operator &&
    application === facts.application &&
    resource === facts.resource &&
    // An approval is for its ticket, and no other reason to look.
    isSameTicket(record.ticket, ticket) &&
    facts.scope.split(' ').every((name) => permitted.has(name))
  )
}

/** @returns `undefined` if less than a second is left */
function permitted(
  limits: Exclude<Verdict, boolean>,
  by: Partial<Pick<PermitRecord, 'duration' | 'id' | 'kind' | 'until'>>,
  at: number,
): Verdict | undefined {
  const left = by.until === undefined ? undefined : Math.floor((by.until - at) / 1000)
  if (left !== undefined && left < 1) return undefined
  const times = [limits.accessTokenTtl, by.duration, left].flatMap((seconds) => seconds ?? [])
  const given = {
    ...limits,
    ...present({
      permit: by.id,
      accessTokenTtl: times.length > 0 ? Math.min(...times) : undefined,
      // The record says it, and nobody reads this back: the banner has to say that it is looked at.
      review: by.kind === 'emergency' ? (limits.review ?? by.kind) : limits.review,
    }),
  }
  return Object.keys(given).length > 0 ? given : true
}

type VerdictWithNeeds = Exclude<Verdict, boolean> & { readonly needs: readonly Need[] }

const NEED_NAMES: readonly unknown[] = ['second_person', 'user'] satisfies readonly Need[]

function hasNeeds(verdict: Verdict): verdict is VerdictWithNeeds {
  if (typeof verdict !== 'object' || !Array.isArray(verdict.needs)) return false
  const { needs } = verdict
  return needs.length > 0 && needs.every((need) => NEED_NAMES.includes(need))
}

/**
 * The facts that a permit has to fit; in words, what the request has to send instead, if it is not bound to one
 * operator, one application, one resource and scopes.
 */
function startFactsOf(
  { account, mayAct, actor, software, resource, scope: asked }: AuthorizationRequest,
  left: string | undefined,
): RequestFacts | string {
  const { sub: operator, clientId: application } = mayAct ?? {}
  const [first, ...others] = [resource].flat()
  const scope = left ?? asked
  if (!operator) return 'it lacks mayAct.sub, the operator'
  if (!application) return 'it lacks mayAct.clientId, the application'
  if (!first) return 'it lacks resource, the API'
  if (others.length > 0) return 'it asks for several resources, and a permit is for one resource'
  if (!scope) return 'it lacks scope'
  // Software that acts for an operator, or on its own, was not permitted.
  if (software !== undefined) return `the software ${software} acts`
  if (actor?.sub !== operator) return 'another person acts than mayAct.sub names'
  return { customer: account.accountId, operator, application, resource: first, scope }
}

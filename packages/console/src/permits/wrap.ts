import type { AuthorizationRequest, Authorize, Need, Verdict } from 'oidc-provider-impersonation'
import { explainRefusal } from 'oidc-provider-impersonation/siblings'
import { standingSlot } from 'oidc-provider-impersonation-verify/chain'
import type { PermitRecord } from 'oidc-provider-impersonation-verify/format'
import type { PermitStore } from '../audit/permit-store.ts'
import { allReadable } from '../audit/readable.ts'
import type { TicketOf } from './options.ts'
import { findPause } from './pauses.ts'
import { approvalIn } from './permit.ts'
import { type Facts, isAllowedBy, meetsNeeds, type StartFacts } from './rules.ts'
import { type StandingNow, type StandingOptions, standingIn } from './standing.ts'

/** Permits that are read at once. A customer has few that are in force. */
const PERMITS_PER_READ = 100

export interface WrapOptions {
  readonly store: Pick<PermitStore, 'permits' | 'slotHolder'>
  /** What customers may answer for all requests; `undefined` where they may not. */
  readonly standing: Pick<StandingOptions, 'initially'> | undefined
  /** The ticket that a start is for. */
  readonly ticketOf: TicketOf
  /** @throws Error where permits cannot be used: nothing is issued then (I9) */
  readonly assertUsable: () => void
  readonly now: () => number
}

/**
 * The rule, with what is permitted: where it answers `needs`, and a granted permit fits the facts of the
 * request, or the customer's standing answer, they are met. The lifetime of the access token ends with the
 * window. Of several permits the one counts whose window ends last.
 */
export function wrapRule(
  rule: Authorize,
  { store, standing, ticketOf, assertUsable, now }: WrapOptions,
): Authorize {
  return async (request) => {
    const ruled = await rule(request)
    // What is no verdict, the provider refuses.
    if (ruled === false || !isVerdict(ruled)) return ruled
    if (await isPaused(request)) {
      explainRefusal(request, 'the operator is paused: a customer objected, or a lead said so')
      return false
    }
    if (!standing && !hasNeeds(ruled)) return ruled
    assertUsable()
    const at = now()
    const answer = await findStanding(request.account.accountId, at)
    if (answer?.choice === 'never') {
      explainRefusal(request, 'the customer wants no support to act')
      return false
    }
    const isAsking = answer?.choice === 'ask'
    const verdict = isAsking ? needingUser(ruled) : ruled
    if (!hasNeeds(verdict)) return verdict
    const { needs, emergency, ...limits } = verdict
    const facts = factsOf(request, limits.scope)
    if (!facts) {
      explainRefusal(request, isAsking ? `${CANNOT_ASK}: ${FITTING}` : FITTING)
      return isAsking ? false : verdict
    }
    const open = needs.includes('user') && answer && isOpen(answer) ? answer : undefined
    const left = open ? needs.filter((need) => need !== 'user') : needs
    if (open && left.length === 0) return permitted(limits, open, at) ?? verdict
    const ticket = ticketIn(ticketOf(request))
    if (ticket === undefined) {
      explainRefusal(request, NO_TICKET)
      return { ...verdict, needs: left }
    }
    const permit = await findPermit({ ...facts, ticket }, left, emergency === true, at)
    const until = shortest(permit?.until, open?.until)
    const { id, review } = permit ?? {}
    const given = id === undefined ? undefined : permitted(limits, { id, until, review }, at)
    return given ?? { ...verdict, needs: left }
  }

  async function isPaused(request: AuthorizationRequest): Promise<boolean> {
    const customer = request.account.accountId
    const found = await Promise.all(
      operatorsIn(request).map((operator) => findPause(store, { operator, customer }, now())),
    )
    return found.some((pause) => pause !== undefined)
  }

  /** What the customer said for all requests. */
  async function findStanding(customer: string, at: number): Promise<StandingNow | undefined> {
    if (!standing) return undefined
    const holder = await store.slotHolder(standingSlot(customer))
    return standingIn(holder, standing.initially, at)
  }

  async function findPermit(
    facts: StartFacts,
    needs: readonly Need[],
    allowsEmergency: boolean,
    at: number,
  ): Promise<PermitRecord | undefined> {
    const { customer, operator } = facts
    const fitting: PermitRecord[] = []
    for (let before: string | undefined; ; ) {
      const filter = { customer, operator, state: 'granted', notOverAt: at } as const
      const { permits, next } = await store.permits(filter, { before, limit: PERMITS_PER_READ })
      const records = allReadable(permits).flatMap((each) => approvalIn(each) ?? [])
      fitting.push(
        ...records.filter(
          (record) => isAllowedBy(record, facts, at) && meetsNeeds(record, needs, allowsEmergency),
        ),
      )
      if (next === undefined) break
      before = next
    }
    return fitting.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0]
  }
}

/** Why nothing that a person allows can help. */
const FITTING =
  'a permit fits one operator (mayAct), one application, one resource and scopes, and no software'
const CANNOT_ASK = 'the customer is to be asked, and cannot be asked for this'
const NO_TICKET = 'options.ticketOf of createPermits answers no ticket: no permit fits'

/** `undefined` for what is no text, or has nothing to see. */
const ticketIn = (answered: unknown) =>
  typeof answered === 'string' && answered.trim() !== '' ? answered : undefined
/** The people who act: the operator, and whoever stands behind them in a chain. */
function operatorsIn({ mayAct, actor }: AuthorizationRequest): readonly string[] {
  const people = new Set(mayAct?.sub === undefined ? [] : [mayAct.sub])
  for (let each: AuthorizationRequest['actor'] = actor; each; each = each.act) {
    if (each.client_id === undefined) people.add(each.sub)
  }
  return [...people]
}

const isOpen = ({ choice }: StandingNow) => !['ask', 'never', 'rule'].includes(choice)

const isVerdict = (ruled: Verdict): boolean =>
  ruled === true || (typeof ruled === 'object' && ruled !== null)

/** The customer is asked, whatever the rule says. Where the rule had no needs, there is no emergency. */
function needingUser(ruled: Verdict): Verdict {
  if (ruled === true) return { needs: ['user'] }
  if (ruled === false) return false
  const { needs = [] } = ruled
  return { ...ruled, needs: [...new Set<Need>([...needs, 'user'])] }
}

/** @returns `undefined` where less than a second is left */
function permitted(
  limits: Exclude<Verdict, boolean>,
  {
    id,
    until,
    review,
  }: Pick<PermitRecord, 'review' | 'until'> & { readonly id: string | undefined },
  at: number,
): Verdict | undefined {
  const left = until === undefined ? undefined : Math.floor((until - at) / 1000)
  if (left !== undefined && left < 1) return undefined
  const accessTokenTtl = shortest(limits.accessTokenTtl, left)
  const given = {
    ...limits,
    ...(id === undefined ? {} : { permit: id }),
    ...(accessTokenTtl === undefined ? {} : { accessTokenTtl }),
    ...(review ? { review: reviewOf(limits.review, review.reason) } : {}),
  }
  return Object.keys(given).length > 0 ? given : true
}

const shortest = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** The longest text that a verdict may have, in characters. */
const MAX_REVIEW_LENGTH = 255

/** The reason of the permit stands first, and is not cut off: an alarm is raised by it. */
const reviewOf = (own: string | undefined, reason: string) =>
  [reason, own]
    .filter((each) => each !== undefined)
    .join('; ')
    .slice(0, MAX_REVIEW_LENGTH)

type VerdictWithNeeds = Exclude<Verdict, boolean> & { readonly needs: readonly Need[] }

const NEED_NAMES: readonly unknown[] = ['second_person', 'user'] satisfies readonly Need[]

function hasNeeds(verdict: Verdict): verdict is VerdictWithNeeds {
  if (typeof verdict !== 'object' || verdict === null || !Array.isArray(verdict.needs)) return false
  const { needs } = verdict
  return needs.length > 0 && needs.every((need) => NEED_NAMES.includes(need))
}

/** `undefined` where the request is not bound to one operator, one application, one resource and scopes. */
function factsOf(
  { account, mayAct, actor, software, resource, scope: asked }: AuthorizationRequest,
  left: string | undefined,
): Facts | undefined {
  const { sub: operator, clientId: application } = mayAct ?? {}
  const [first, ...others] = [resource].flat()
  const scope = left ?? asked
  if (!operator || !application || !first || others.length > 0 || !scope) return undefined
  // Software that acts for an operator, or on its own, was not permitted.
  if (actor?.sub !== operator || software !== undefined) return undefined
  return { customer: account.accountId, operator, application, resource: first, scope }
}

import type { AuthorizationRequest, Authorize, Need, Verdict } from 'oidc-provider-impersonation'
import { type PermitRecord, parsePermit } from '../audit/permit.ts'
import type { PermitStore } from '../audit/permit-store.ts'
import { type Facts, isAllowedBy, meetsNeeds } from './rules.ts'

/** Permits that are read at once. A customer has few that are in force. */
const PERMITS_PER_READ = 100

export interface WrapOptions {
  readonly store: Pick<PermitStore, 'permits'>
  /** @throws Error where permits cannot be used: nothing is issued then (I9) */
  readonly assertUsable: () => void
  readonly now: () => number
}

/**
 * The rule, with what is permitted: where it answers `needs`, and a granted permit fits the facts of the
 * request, they are met. The lifetime of the access token ends with the window. Of several permits the one
 * counts whose window ends last.
 */
export function wrapRule(rule: Authorize, { store, assertUsable, now }: WrapOptions): Authorize {
  return async (request) => {
    const verdict = await rule(request)
    // What is no verdict, the provider refuses.
    if (!hasNeeds(verdict)) return verdict
    assertUsable()
    const { needs, emergency, ...limits } = verdict
    const facts = factsOf(request, limits.scope)
    const at = now()
    const permit = facts && (await findPermit(facts, needs, emergency === true, at))
    // At least one second is left.
    const left = Math.floor(((permit?.until ?? 0) - at) / 1000)
    if (!permit || left < 1) return verdict
    const { accessTokenTtl = left } = limits
    return {
      ...limits,
      permit: permit.id,
      accessTokenTtl: Math.min(accessTokenTtl, left),
      ...(permit.review ? { review: reviewOf(limits.review, permit.review.reason) } : {}),
    }
  }

  async function findPermit(
    facts: Facts,
    needs: readonly Need[],
    allowsEmergency: boolean,
    at: number,
  ): Promise<PermitRecord | undefined> {
    const { customer, operator } = facts
    const fitting: PermitRecord[] = []
    for (let before: string | undefined; ; ) {
      const filter = { customer, operator, state: 'granted', notOverAt: at } as const
      const { permits, next } = await store.permits(filter, { before, limit: PERMITS_PER_READ })
      const records = permits.map(parsePermit)
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

/** The longest text that a verdict may have, in characters. */
const MAX_REVIEW_LENGTH = 255

const reviewOf = (own: string | undefined, reason: string) =>
  [own, reason]
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

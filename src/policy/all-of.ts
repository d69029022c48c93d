import type { Authorize, Verdict } from '../public/hooks.ts'
import { joinPermits, type Limits, parseVerdict } from './authorize.ts'

/**
 * One rule of several. Each is asked, in order, until one answers `false`, which beats all the others.
 * What they need unites, scopes intersect, and the shortest time counts. `emergency` is allowed where
 * every rule that needs an approval allows it. All permits are kept. Of `review` the first counts.
 *
 * @throws TypeError for something that is no function
 * @example
 * authorize: allOf(businessHours, permits.wrap(secondPersonForChanges))
 */
export function allOf(...rules: readonly Authorize[]): Authorize {
  return joinRules(rules)
}

function joinRules(rules: readonly Authorize[]): Authorize {
  if (rules.length === 0 || rules.some((rule) => typeof rule !== 'function')) {
    throw new TypeError('allOf(...rules) takes at least one rule, each a function')
  }
  return async (request) => {
    let all: Limits = {}
    for (const [index, rule] of rules.entries()) {
      // Each sees what the ones before it left.
      const verdict = await rule(Object.freeze({ ...request, scope: all.scope ?? request.scope }))
      const limits = parseVerdict(verdict, request, `allOf: rule ${index + 1}`)
      if (limits === false) return false
      all = unite(all, limits)
      if (all.scope === '') return false
    }
    return Object.keys(all).length === 0 ? true : (all as Exclude<Verdict, boolean>)
  }
}

function unite(one: Limits, other: Limits): Limits {
  const needs = [...(one.needs ?? []), ...(other.needs ?? [])]
  const emergencies = [one, other].flatMap(({ needs, emergency }) => (needs ? [emergency] : []))
  const ttls = [one, other].flatMap(({ accessTokenTtl }) => accessTokenTtl ?? [])
  const scopes = [one, other].flatMap(({ scope }) =>
    scope === undefined ? [] : [scope.split(' ')],
  )
  const [first = [], second = first] = scopes
  const permits = [one, other].flatMap(({ permit = [] }) => permit)
  return {
    ...other,
    ...one,
    ...(scopes.length > 0
      ? { scope: first.filter((name) => second.includes(name)).join(' ') }
      : {}),
    ...(ttls.length > 0 ? { accessTokenTtl: Math.min(...ttls) } : {}),
    ...(permits.length > 0 ? { permit: joinPermits(permits, 'allOf') } : {}),
    ...(needs.length > 0 ? { needs, emergency: emergencies.every((each) => each === true) } : {}),
  }
}

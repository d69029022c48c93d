import type { Authorize, Verdict } from 'oidc-provider-impersonation'

type Yes = Exclude<Verdict, false>

export const allOf =
  (...rules: readonly Authorize[]): Authorize =>
  async (request) => {
    let answer: Yes = true
    for (const rule of rules) {
      const left: string | undefined = answer === true ? undefined : answer.scope
      const verdict = await rule({ ...request, scope: left ?? request.scope })
      if (verdict === false) return false
      answer = both(answer, verdict)
      if (answer !== true && answer.scope === '') return false
    }
    return answer
  }

/** Yes, within the limits of both. What else they say is kept, so that it is refused as ever. */
function both(one: Yes, other: Yes): Yes {
  if (one === true) return other
  if (other === true) return one
  const scopes = one.scope?.split(' ')
  const scope = other.scope?.split(' ').filter((name) => scopes?.includes(name) ?? true)
  const ttls = [one, other].flatMap(({ accessTokenTtl }) => accessTokenTtl ?? [])
  return {
    ...one,
    ...other,
    ...(scope && { scope: scope.join(' ') }),
    ...(ttls.length > 0 && { accessTokenTtl: Math.min(...ttls) }),
  }
}

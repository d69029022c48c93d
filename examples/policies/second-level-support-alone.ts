import type { Authorize, Configuration } from 'oidc-provider-impersonation'

/** Your users. Give the same function to your provider. */
export const groups = new Map([
  ['olivia', ['support-2']],
  ['oscar', ['support-1']],
])
export const findAccount: NonNullable<Configuration['findAccount']> = (_ctx, sub) => ({
  accountId: sub,
  claims: () => ({ sub, groups: groups.get(sub) ?? [] }),
})

export const secondLevelOnly: Authorize = async ({ ctx, actor }) => {
  const operator = actor && (await findAccount(ctx, actor.sub))
  const claims = await operator?.claims('userinfo', 'openid', {}, [])
  return Array.isArray(claims?.groups) && claims.groups.includes('support-2')
}

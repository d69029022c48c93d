import type { Authorize, Configuration } from 'oidc-provider-impersonation'

/** Your users. Give the same function to your provider. */
export const users = new Map([
  ['alice', { id: 'alice', groups: [] }],
  ['olivia', { id: 'olivia', groups: ['support-2'] }],
  ['oscar', { id: 'oscar', groups: ['support-1'] }],
])
export const findAccount: NonNullable<Configuration['findAccount']> = (_ctx, sub) => {
  const user = users.get(sub)
  return user && { accountId: user.id, claims: () => ({ sub: user.id, groups: user.groups }) }
}

export const secondLevelOnly: Authorize = async ({ ctx, actor }) => {
  const operator = actor && (await findAccount(ctx, actor.sub))
  const claims = await operator?.claims('userinfo', 'openid', {}, [])
  return Array.isArray(claims?.groups) && claims.groups.includes('support-2')
}

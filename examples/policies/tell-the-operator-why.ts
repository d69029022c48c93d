import type { Authorize } from 'oidc-provider-impersonation'

/** Returns the reason for the operator, or `undefined` if they may act. */
export async function whyNot(operator: string | undefined, userId: string) {
  if (operator === undefined) return 'Sign in first.'
  if (userId.startsWith('admin-')) return 'Nobody acts as an administrator.'
  return undefined
}

export const authorize: Authorize = async ({ stage, actor, account: { accountId } }) => {
  const why = await whyNot(actor?.sub, accountId)
  if (why !== undefined) {
    console.warn(JSON.stringify({ refused: why, stage, userId: accountId, actor: actor?.sub }))
  }
  return why === undefined
}

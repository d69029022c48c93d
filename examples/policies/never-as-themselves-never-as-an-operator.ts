import type { Authorize } from 'oidc-provider-impersonation'

/** Your directory. */
const operators = new Set(['olivia', 'grace'])
const isOperator = async (accountId: string) => operators.has(accountId)

export const customersOnly: Authorize = async ({ actor, account }) => {
  // Nobody acts as themselves.
  if (!actor || actor.sub === account.accountId) return false
  return !(await isOperator(account.accountId))
}

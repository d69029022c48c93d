import type { Authorize } from 'oidc-provider-impersonation'

/** Your directory: the team of an operator, and the region of a customer. */
const groups = new Map([
  ['olivia', 'support-eu'],
  ['alice', 'customers-eu'],
  ['bob', 'customers-us'],
])
const findGroup = async (accountId: string) => groups.get(accountId) ?? ''

const CUSTOMERS_BY_TEAM = new Map([
  ['support-eu', ['customers-eu']],
  ['support-vip', ['customers-eu', 'customers-us']],
])

export const groupsForGroups: Authorize = async ({ actor, account }) => {
  if (!actor) return false
  const [team, customers] = await Promise.all([findGroup(actor.sub), findGroup(account.accountId)])
  return CUSTOMERS_BY_TEAM.get(team)?.includes(customers) ?? false
}

import type { Authorize } from 'oidc-provider-impersonation'

/** Your records: the tickets that are open, and whose they are. */
const openTickets = new Map([['SUP-123', 'alice']])

export const authorize: Authorize = ({ account, actor, context }) => {
  // Nobody acts without a name.
  if (actor === undefined) return false
  // The ticket is this customer's: as long as you allow by default.
  if (openTickets.get(String(context.ticketId)) === account.accountId) return true
  // Otherwise for five minutes.
  return { accessTokenTtl: 300 }
}

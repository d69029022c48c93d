import type { Authorize } from 'oidc-provider-impersonation'

/** Your records: each open ticket and its customer. */
const openTickets = new Map([['SUP-123', 'alice']])

export const authorize: Authorize = ({ account, actor, context }) => {
  // Nobody acts anonymously.
  if (actor === undefined) return false
  // The ticket is this customer's. The usual lifetime applies.
  if (openTickets.get(String(context.ticketId)) === account.accountId) return true
  // Otherwise, five minutes.
  return { accessTokenTtl: 300 }
}

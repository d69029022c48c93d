// The rules of features.impersonation: who may act as whom, and the claims of the token. They
// hold for every client, the integrator's backend included. docs/policies.md has more rules.
import {
  type Authorize,
  type GetCustomJwtClaims,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import { people } from './accounts.ts'

/** Copies the context that the backend sent into a claim. */
export const contextClaims: GetCustomJwtClaims = async ({ context }) => {
  if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
  const { ticketId, reason, supportEngineerId } = context.grant.subjectTokenContext
  return {
    impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId },
  }
}

/**
 * Runs at issue and again at the exchange. Nobody acts as themselves. People with special rights are protected, also if they
 * got the rights in between, and so are those whose organisation is closed to support. Some accounts
 * need an approval: permits.wrap() in app.ts looks whether there is one. The `duration` of the context can only shorten the time; if it is not
 * a valid time, the caller wanted a limit that cannot be applied, so the answer is no.
 */
export const authorize: Authorize = ({ account, actor, scope, context: { duration } }) => {
  if (actor?.sub === account.accountId) return false
  const customer = people.find(account.accountId)
  if (customer?.isProtected !== false || customer.closedBy !== undefined) return false
  const isTime = Number.isSafeInteger(duration) && Number(duration) > 0
  if (duration !== undefined && !isTime) return false
  const limit = duration === undefined ? {} : { accessTokenTtl: Number(duration) }
  // A token without scopes can be exchanged for all of them.
  const mayChange = scope === undefined || scope.includes('orders:write')
  const { asks } = customer
  if (asks === 'user') return { ...limit, needs: ['user'] }
  if (asks === 'second_person' && mayChange) {
    return { ...limit, needs: ['second_person'], emergency: true }
  }
  return duration === undefined || limit
}

authorize.description = [
  'Nobody acts as themselves or a colleague, or for an organisation that has closed its accounts to support.',
  'A change in some accounts needs the approval of a lead. In an emergency, a lead looks at it afterwards.',
  'Some customers are asked before each time.',
]

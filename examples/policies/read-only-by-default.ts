import type { Authorize } from 'oidc-provider-impersonation'

/** The most a token may carry where nothing was asked for. */
const READ_SCOPE = 'orders:read'

/** Who wants to change something has to say so when the subject token is issued. */
export const readOnlyByDefault: Authorize = ({ stage, scope, context }) => {
  if (context.write === true) return true
  // At issue, no scope is no limit: set one. At the exchange, it is no scope: nothing to narrow.
  if (scope === undefined) return stage === 'issue' ? { scope: READ_SCOPE } : true
  const reading = scope.split(' ').filter((name) => name.endsWith(':read'))
  return reading.length > 0 ? { scope: reading.join(' ') } : false
}

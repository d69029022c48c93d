import type { Authorize } from 'oidc-provider-impersonation'

/** The scope of a token if none was requested. */
const READ_SCOPE = 'orders:read'

/** Allows changes only if the subject token was requested with `context.write`. */
export const readOnlyByDefault: Authorize = ({ stage, scope, context }) => {
  if (context.write === true) return true
  // At issue, an absent scope means no limit. At the exchange, it means no scopes.
  if (scope === undefined) return stage === 'issue' ? { scope: READ_SCOPE } : true
  const reading = scope.split(' ').filter((name) => name.endsWith(':read'))
  return reading.length > 0 ? { scope: reading.join(' ') } : false
}

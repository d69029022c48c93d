import type { Authorize } from 'oidc-provider-impersonation'

/** Confidential clients that ask for the subject token and exchange it themselves. */
const JOB_CLIENTS = new Set(['nightly-export'])

/** At issue, `actor` is the operator whom the token is bound to; at the exchange, who proved to be one. */
export const personOrJob: Authorize = ({ client, actor }) =>
  actor !== undefined || JOB_CLIENTS.has(client.clientId)

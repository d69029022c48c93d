import type { Authorize } from 'oidc-provider-impersonation'

/** Confidential clients that request the subject token and exchange it themselves. */
const JOB_CLIENTS = new Set(['nightly-export'])

export const personOrJob: Authorize = ({ client, actor }) =>
  actor !== undefined || JOB_CLIENTS.has(client.clientId)

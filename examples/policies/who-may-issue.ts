import type { ManagementClients } from 'oidc-provider-impersonation'

/** Your table of clients. */
const machines = new Map([['support-backend', { mayImpersonate: true }]])

export const clients: ManagementClients = {
  issue: async ({ clientId }) => machines.get(clientId)?.mayImpersonate === true,
}

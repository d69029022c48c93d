import { createImpersonations, memoryStore } from 'oidc-provider-impersonation-browser/server'

const { API, BACK_OFFICE, CLIENT_ID, CLIENT_SECRET, ISSUER, ORIGIN, RESOURCE } = process.env

export const impersonations = createImpersonations({
  issuer: ISSUER,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  redirectUri: `${ORIGIN}/impersonation`,
  resource: RESOURCE,
  scope: 'orders:read',
  from: BACK_OFFICE,
  next: '/orders',
  origins: [API],
  // For one process.
  store: memoryStore(),
})

import type { ImpersonationOptions } from 'oidc-provider-impersonation'

export const impersonation: ImpersonationOptions = {
  enabled: true,
  managementApi: {
    resource: 'https://id.example.com/api',
    clients: ['backend'],
    requireBinding: ['mayAct', 'resource', 'scope', 'expiresIn'],
  },
  // `mayAct` may name a client alone: here it has to name the operator.
  authorize: ({ actor }) => actor !== undefined,
}

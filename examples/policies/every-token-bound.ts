import type { ImpersonationOptions } from 'oidc-provider-impersonation'

export const impersonation: ImpersonationOptions = {
  enabled: true,
  managementApi: {
    resource: 'https://id.example.com/api',
    clients: ['backend'],
    requireBinding: ['mayAct', 'resource', 'scope', 'expiresIn'],
  },
  // `mayAct` can name only a client. This requires the operator, too.
  authorize: ({ actor }) => actor !== undefined,
}

import type { ImpersonationOptions } from 'oidc-provider-impersonation'

/** The operator signed in within the last 15 minutes, at the client that exchanges. */
export const actorToken: ImpersonationOptions['actorToken'] = {
  required: true,
  maxAge: 900,
  sameClient: true,
}

import type { ImpersonationOptions } from 'oidc-provider-impersonation'

/** The actor must have signed in within the last quarter of an hour, to this very client. */
export const actorToken: ImpersonationOptions['actorToken'] = {
  required: true,
  maxAge: 900,
  sameClient: true,
}

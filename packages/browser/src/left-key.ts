/** What an impersonation that ended in this tab has left for the next one. */
export const LEFT_KEY = 'oidc-provider-impersonation.left'

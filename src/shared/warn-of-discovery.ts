const TIMEOUT_MS = 1000

/**
 * Warns where the issuer answers, and not with its discovery document: the provider is mounted at another
 * path. No answer says nothing, since the server may start later.
 */
export async function warnOfDiscovery(issuer: string): Promise<void> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {})
  if (!response || response.status >= 500) return
  const found: unknown = await response.json().catch(() => {})
  if (found instanceof Object && 'issuer' in found && found.issuer === issuer) return
  const message = `${url} answers ${response.status}, and not with the discovery document of this provider; mount the provider at the path of its issuer`
  process.emitWarning(message, 'ImpersonationWarning')
}

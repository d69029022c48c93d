/** The URI of a status list, and what it is fetched from: under the issuer, whatever host was asked. */
export function statusListUri(issuer: string, list: string): string {
  return `${underIssuer(issuer, '/status-lists')}/${list}`
}

/** An endpoint of the provider whose path is fixed. */
export function underIssuer(issuer: string, path: `/${string}`): string {
  return `${issuer.replace(/\/$/, '')}${path}`
}

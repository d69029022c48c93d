/** The path of status lists, relative to the issuer. */
export const STATUS_LISTS_PATH = '/status-lists'

/** The path at which an operator's application reads its impersonation, relative to the issuer. */
export const CURRENT_PATH = '/impersonations/current'

/** The path at which an operator's application ends its impersonation, relative to the issuer. */
export const CURRENT_END_PATH = '/impersonations/current/end'

/** A URI below the issuer; `path` starts with a slash. */
export function issuerUri(issuer: string, path: string): string {
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}${path}`
}

/** The `uri` of a status list. It is its `sub`, and the tokens whose status it has carry it. */
export function statusListUri(issuer: string, list: string): string {
  return issuerUri(issuer, `${STATUS_LISTS_PATH}/${list}`)
}

const LOOPBACK_HOSTNAME = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * Checks whether a token may be sent there, which is never in the clear, except on this machine.
 */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTNAME.test(hostname))
}

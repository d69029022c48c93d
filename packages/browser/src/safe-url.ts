import { parseUrl } from './url.ts'

const LOOPBACK_HOSTNAME = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/** Whether a token may be sent there: not in the clear, except on this machine. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTNAME.test(hostname))
}

/** @throws TypeError that names what the address is */
export function parseSafe(address: string | URL, name: string): URL {
  const url = parseUrl(address)
  if (url && isSafe(url)) return url
  throw new TypeError(`${name} must be an absolute https URL, or an http URL of this machine`)
}

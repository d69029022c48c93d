import { isSafe } from '../glue/safe-url.ts'
import { parseUrl } from './url.ts'

/** @throws TypeError that names what the address is */
export function parseSafe(address: string | URL, name: string): URL {
  const url = parseUrl(address)
  if (url && isSafe(url)) return url
  throw new TypeError(`${name} must be an absolute https URL, or an http URL of this machine`)
}

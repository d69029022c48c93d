import { parseUrl, quietly } from './quietly.ts'

/** The names of the parameters in the fragment. */
export const SUBJECT_TOKEN_PARAMETER = 'impersonation'
export const ACTOR_PARAMETER = 'impersonation_actor'
export const EXPIRES_PARAMETER = 'impersonation_expires'
export const LINK_NAMES: readonly string[] = [
  SUBJECT_TOKEN_PARAMETER,
  ACTOR_PARAMETER,
  EXPIRES_PARAMETER,
]

/** Data that the back office hands to the application. Only the provider decides its worth. */
export interface Link {
  readonly subjectToken: string
  /** A hint for messages: `sub` of the intended operator. */
  readonly actor?: string | undefined
  /** A hint for messages: the expiry of the subject token, in seconds since the epoch. */
  readonly expires?: number | undefined
}

/** RFC 6750 §2.1, `b64token`, within bounds. */
const TOKEN_PATTERN = /^[\w.~+/-]{1,1024}={0,2}$/
const MAX_SUB_LENGTH = 255
const SECONDS_PATTERN = /^\d{1,12}$/

export function isSubjectToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN_PATTERN.test(value)
}

export function isSub(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_SUB_LENGTH
}

export interface Split {
  /** The other parts, unchanged. */
  readonly rest: string
  /** The parts of these names, in order. Wrong percent-encoding gives `undefined`. */
  readonly taken: ReadonlyArray<readonly [name: string, value: string | undefined]>
}

/** Takes the parts of these names out of a query or fragment, without its `?` or `#`. */
export function takeParts(text: string, names: readonly string[]): Split {
  const taken: Array<readonly [string, string | undefined]> = []
  const others = text.split('&').filter((part) => {
    const end = part.indexOf('=')
    const name = end === -1 ? part : part.slice(0, end)
    if (!names.includes(name)) return true
    taken.push([name, end === -1 ? '' : decoded(part.slice(end + 1))])
    return false
  })
  return { rest: others.join('&'), taken }
}

/** @returns `undefined` if the parts are not those of one link */
export function parseLink({ taken }: Split): Link | undefined {
  const [subjectToken, ...repeated] = valuesOf(taken, SUBJECT_TOKEN_PARAMETER)
  if (repeated.length > 0 || !isSubjectToken(subjectToken)) return undefined
  const [actor] = valuesOf(taken, ACTOR_PARAMETER)
  const [expires = ''] = valuesOf(taken, EXPIRES_PARAMETER)
  return {
    subjectToken,
    actor: isSub(actor) ? actor : undefined,
    expires: SECONDS_PATTERN.test(expires) ? Number(expires) : undefined,
  }
}

function valuesOf(taken: Split['taken'], name: string): Array<string | undefined> {
  return taken.filter(([each]) => each === name).map(([, value]) => value)
}

function decoded(text: string): string | undefined {
  return quietly(() => decodeURIComponent(text))
}

const LOOPBACK_HOSTNAME = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * Checks whether a token may be sent there, which is never in the clear, except on this machine.
 */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTNAME.test(hostname))
}

/** @throws TypeError that names the purpose of the address */
export function parseSafe(address: string | URL, name: string): URL {
  const url = parseUrl(address)
  if (url && isSafe(url)) return url
  throw new TypeError(`${name} must be an absolute https URL, or an http URL of this machine`)
}

export interface ImpersonationUrlParameters {
  /** The subject token that the management API issued. Bind it with `mayAct`. */
  readonly subjectToken: string
  /** A hint for messages alone: `sub` of the intended operator. */
  readonly actor?: string | undefined
  /**
   * A hint for messages alone: the last time at which the subject token can be exchanged, in
   * milliseconds since the epoch.
   */
  readonly expiresAtMs?: number | undefined
}

/**
 * Makes the address at which an application accepts an impersonation. The subject token is in the
 * fragment, which browsers do not send to servers. A fragment of the application's own stays.
 *
 * @param applicationUrl - a page of the application that calls `acceptImpersonation`: https, or
 * http on this machine
 * @throws TypeError if a parameter is wrong
 */
export function impersonationUrl(
  applicationUrl: string | URL,
  { subjectToken, actor, expiresAtMs }: ImpersonationUrlParameters,
): string {
  const url = parseSafe(applicationUrl, 'applicationUrl')
  if (!isSubjectToken(subjectToken)) {
    throw new TypeError('subjectToken must be the string that the management API answered')
  }
  if (actor !== undefined && !isSub(actor)) {
    throw new TypeError('actor must be a string of 1 to 255 characters')
  }
  if (expiresAtMs !== undefined && !(Number.isFinite(expiresAtMs) && expiresAtMs > 0)) {
    throw new TypeError('expiresAtMs must be milliseconds since the epoch')
  }
  const { rest, taken } = takeParts(url.hash.slice(1), LINK_NAMES)
  if (taken.length > 0) throw new TypeError('applicationUrl must not carry an impersonation yet')
  const parts = [`${SUBJECT_TOKEN_PARAMETER}=${encodeURIComponent(subjectToken)}`]
  if (actor !== undefined) parts.push(`${ACTOR_PARAMETER}=${encodeURIComponent(actor)}`)
  if (expiresAtMs !== undefined)
    parts.push(`${EXPIRES_PARAMETER}=${Math.floor(expiresAtMs / 1000)}`)
  url.hash = [...(rest === '' ? [] : [rest]), ...parts].join('&')
  return url.href
}

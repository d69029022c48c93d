// What options must be. Each rule throws a TypeError that says what is wrong and what to do.

/** Literal path segments. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

export function fail(message: string): never {
  throw new TypeError(message)
}

export function optional(
  at: string,
  value: unknown,
  rule: (at: string, value: unknown) => void,
): void {
  if (value !== undefined) rule(at, value)
}

/** An object with these members and no others. */
export function anObject(at: string, value: unknown, members: readonly string[]): void {
  const known = members.join(', ')
  if (typeof value !== 'object' || value === null || !isPlain(value)) {
    fail(`${at} must be an object with: ${known}`)
  }
  const unknown = Object.keys(value).find((name) => !members.includes(name))
  if (unknown !== undefined) fail(`${at}.${unknown} is not a known option; known are: ${known}`)
}

export function text(at: string, value: unknown, about: string): void {
  if (typeof value === 'string' && value.trim() !== '') return
  fail(`${at} must be a non-empty string: ${about}`)
}

export function functionOf(at: string, value: unknown, about?: string): void {
  if (typeof value === 'function') return
  fail(`${at} must be a function${about === undefined ? '' : `: ${about}`}`)
}

export function directory(at: string, value: unknown): void {
  if (has(value, 'search') && has(value, 'get')) return
  fail(`${at} must be an object with two functions: search(text, page) and get(id)`)
}

export function audit(at: string, value: unknown): void {
  if (has(value, 'open') && has(value, 'append') && has(value, 'find')) return
  fail(
    `${at} must be an audit, such as createMemoryAudit() of oidc-provider-impersonation-console/audit/memory`,
  )
}

export function path(at: string, value: unknown): void {
  if (typeof value === 'string' && PATH.test(value)) return
  fail(`${at} must be a path such as '/console': it begins with a slash and does not end with one`)
}

/** The address of a page: https, or http on this machine. */
export function url(at: string, value: unknown): void {
  const parsed = typeof value === 'string' ? URL.parse(value) : null
  if (parsed && isSafe(parsed) && parsed.username === '' && parsed.password === '') return
  fail(`${at} must be an absolute https URL, or an http URL of this machine`)
}

/** @param which `any`: also http of other machines, which only this process reaches */
export function origin(at: string, value: unknown, which: 'any' | 'safe' = 'safe'): void {
  const parsed = typeof value === 'string' ? URL.parse(value) : null
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (
    parsed &&
    isHttp &&
    (which === 'any' || isSafe(parsed)) &&
    `${parsed.origin}/` === parsed.href
  ) {
    return
  }
  const kind = which === 'any' ? 'an http or https' : 'an https'
  fail(`${at} must be ${kind} origin without a path, such as 'https://id.example.com'`)
}

export function integers(at: string, value: unknown, least: number, most: number): void {
  const isOne = (each: unknown) =>
    Number.isSafeInteger(each) && Number(each) >= least && Number(each) <= most
  if (Array.isArray(value) && value.length > 0 && Array.from(value).every(isOne)) return
  fail(
    `${at} must be a list of whole numbers from ${least} to ${most}: seconds. Leave it out for no choice`,
  )
}

export function oneOf(at: string, value: unknown, words: readonly string[]): void {
  if (typeof value === 'string' && words.includes(value)) return
  fail(`${at} must be one of: ${words.join(', ')}`)
}

/** Browsers get its source alone. */
export function pattern(at: string, value: unknown): void {
  if (!(value instanceof RegExp)) fail(`${at} must be a regular expression, such as /SUP-\\d+/`)
  if (value.flags !== '' && value.flags !== 'u') fail(`${at} must have no flag but u`)
  try {
    new RegExp(value.source, 'u')
  } catch (cause) {
    throw new TypeError(`${at} must be valid with the flag u`, { cause })
  }
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

/** A class instance, such as a RegExp, has no options. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function has(value: unknown, method: string): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function'
  )
}

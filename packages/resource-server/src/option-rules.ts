/**
 * The rule of one option. `undefined` always means absent. The other members are for the
 * reference.
 */
export interface Rule<T, D = T> {
  readonly type: string
  readonly default: D
  /** The description of the option, for errors. An option without this text may be absent. */
  readonly required?: string
  readonly parse: (value: unknown, at: string) => T
}

export type Shape = { readonly [name: string]: Rule<unknown, unknown> }

/** The options of a shape after the check, with every default filled in. */
export type Resolved<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Rule<infer T, infer D>
    ? T | (S[K] extends { readonly required: string } ? never : D)
    : never
}

/** A rule that takes the values that pass `isValid`, as they are. */
export function rule<const Type extends string, T, D>(
  type: Type,
  isValid: (value: unknown) => value is T,
  must: string,
  byDefault: D,
) {
  const parse = (value: unknown, at: string): T => {
    if (isValid(value)) return value
    throw new TypeError(`${at} must be ${must}`)
  }
  return { type, default: byDefault, parse }
}

/**
 * Checks an object of options, and returns a frozen one with every default filled in.
 *
 * @throws TypeError with the dotted path of the first key that is unknown or has a wrong value
 */
export function resolve<S extends Shape>(shape: S, input: unknown = {}, path: string): Resolved<S> {
  const names = Object.keys(shape).join(', ')
  if (!isPlainObject(input)) throw new TypeError(`${path} must be an object with: ${names}`)
  for (const key of Object.keys(input)) {
    if (Object.hasOwn(shape, key)) continue
    throw new TypeError(`${path}.${key} is not a known option; known are: ${names}`)
  }
  const entries = Object.entries(shape).map(([key, { parse, required, default: byDefault }]) => {
    if (input[key] !== undefined) return [key, parse(input[key], `${path}.${key}`)]
    if (required === undefined) return [key, byDefault]
    throw new TypeError(`${path}.${key} is required: ${required}`)
  })
  // The object has exactly the members of the shape, each as its rule parsed it.
  return Object.freeze(Object.fromEntries(entries)) as Resolved<S>
}

/** Checks for an object literal, a JSON object, or an object without prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * A URL without user name and fragment. RFC 3986 has no white space, quotation mark or backslash.
 */
const HTTP_URL = /^https?:\/\/[^\s/?#@"\\]+(?:[/?][^\s#"\\]*)?$/i

export function isHttpUrl(value: unknown): value is string {
  return typeof value === 'string' && HTTP_URL.test(value) && URL.canParse(value)
}

/** The rule of an option that is a URL. */
export function aUrl() {
  const must = 'an absolute http or https URL without user name and fragment'
  return rule('url', isHttpUrl, must, undefined)
}

/** The rule of an option that is a URL to which a path can be appended. */
export function aBaseUrl() {
  const url = aUrl()
  const parse = (value: unknown, at: string): string => {
    const parsed = url.parse(value, at)
    if (parsed.includes('?')) throw new TypeError(`${at} must not have a query`)
    return parsed
  }
  return { ...url, parse }
}

/** The rule of an option that is an integer between two bounds, which belong to it. */
export function anInteger(min: number, max: number, byDefault: number) {
  const isWithin = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  const must = `an integer from ${min} to ${max}`
  return { ...rule('integer', isWithin, must, byDefault), min, max }
}

/** The rule of an option that is a function of the type `T`. It checks only `typeof`. */
export function aFunction<T>(about = '') {
  const isFunction = (value: unknown): value is T => typeof value === 'function'
  return rule('function', isFunction, `a function${about}`, undefined)
}

/** The asymmetric signature algorithms that oidc-provider supports. */
export const SIGNING_ALGORITHMS: readonly string[] = [
  'RS256',
  'ES256',
  'EdDSA',
  'Ed25519',
  'PS256',
  'ES384',
  'ES512',
  'RS384',
  'RS512',
  'PS384',
  'PS512',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
]

/** The rule of an option that names signature algorithms, at least one. */
export function algorithms(byDefault: readonly string[]) {
  const parse = (value: unknown, at: string): readonly string[] => {
    // Array.from: `every` would skip holes.
    if (
      !Array.isArray(value) ||
      !Array.from(value).every((each) => SIGNING_ALGORITHMS.includes(each))
    ) {
      throw new TypeError(`${at} must be an array of: ${SIGNING_ALGORITHMS.join(', ')}`)
    }
    if (value.length === 0) throw new TypeError(`${at} must name at least one`)
    return Object.freeze([...value])
  }
  return { type: 'someOf' as const, values: SIGNING_ALGORITHMS, default: byDefault, parse }
}

/** The rule of an option that is an object with options of its own. */
export function group<S extends Shape>(of: S) {
  const parse = (value: unknown, at: string) => resolve(of, value, at)
  return { type: 'group' as const, of, default: undefined, parse }
}

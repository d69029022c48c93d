/** What one option must be. `undefined` always means absent. */
type Rule =
  | { type: 'boolean'; default: boolean }
  | { type: 'integer'; min: number; max: number; default: number | undefined }
  | { type: 'scope' | 'path' | 'resource'; default: string }
  | { type: 'oneOf'; values: readonly string[]; default: string }
  | { type: 'strings'; default: readonly string[] | undefined }
  | { type: 'stringMap'; default: Readonly<Record<string, string>> }
  | { type: 'someOf'; values: readonly string[]; default: readonly string[] }
  | { type: 'function' | 'schema'; default: undefined }
  | { type: 'object'; method: string; default?: undefined }

/** A tree of rules, in the shape of the options. */
export interface Shape {
  readonly [name: string]: Rule | Shape
}

/** One scope token, RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/
/** Literal path segments: nothing that a router would read as a pattern. */
const PATH_PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/

/**
 * Walks `input` along `shape` and answers a frozen tree with every default filled in.
 *
 * @throws TypeError with the dotted path of the first key that is unknown or has a wrong value.
 */
export function resolve<T>(shape: Shape, input: unknown, path: string): T {
  // The tree has exactly the members of `shape`, which the caller declares as T.
  return resolveShape(shape, input, path) as T
}

function resolveShape(shape: Shape, input: unknown, path: string): object {
  const given = input === undefined ? {} : input
  if (!isPlainObject(given)) throw new TypeError(`${path} must be an object`)
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(shape, key)) {
      throw new TypeError(
        `${path}.${key} is not a known option; known are: ${Object.keys(shape).join(', ')}`,
      )
    }
  }
  return Object.freeze(
    Object.fromEntries(
      Object.entries(shape).map(([key, rule]) => {
        const at = `${path}.${key}`
        if (!isRule(rule)) return [key, resolveShape(rule, given[key], at)]
        return [key, given[key] === undefined ? rule.default : check(rule, given[key], at)]
      }),
    ),
  )
}

function check(rule: Rule, value: unknown, at: string): unknown {
  switch (rule.type) {
    case 'boolean':
      return must(typeof value === 'boolean', value, `${at} must be true or false`)
    case 'integer':
      return must(
        Number.isSafeInteger(value) && Number(value) >= rule.min && Number(value) <= rule.max,
        value,
        `${at} must be an integer from ${rule.min} to ${rule.max}`,
      )
    case 'scope':
      return must(
        typeof value === 'string' && SCOPE_TOKEN.test(value),
        value,
        `${at} must be one scope token: printable ASCII without space, quote or backslash`,
      )
    case 'path':
      return must(
        typeof value === 'string' && PATH_PREFIX.test(value),
        value,
        `${at} must be '' or a path such as '/api': plain segments, no slash at the end`,
      )
    case 'resource':
      return must(
        typeof value === 'string' && URL.canParse(value) && !/[#\s]/.test(value),
        value,
        `${at} must be an absolute URI without a fragment`,
      )
    case 'oneOf':
      return must(
        typeof value === 'string' && rule.values.includes(value),
        value,
        `${at} must be one of: ${rule.values.join(', ')}`,
      )
    case 'strings':
      if (isStringArray(value)) return Object.freeze([...value])
      throw new TypeError(`${at} must be an array of non-empty strings`)
    case 'stringMap':
      if (isStringMap(value)) return Object.freeze({ ...value })
      throw new TypeError(`${at} must be an object whose values are strings`)
    case 'someOf':
      if (isStringArray(value) && value.every((entry) => rule.values.includes(entry))) {
        return Object.freeze([...value])
      }
      throw new TypeError(`${at} must be an array of: ${rule.values.join(', ')}`)
    case 'function':
      return must(typeof value === 'function', value, `${at} must be a function`)
    case 'schema':
      return must(
        typeof value === 'function' || hasMethod(Object(value)['~standard'], 'validate'),
        value,
        `${at} must be a function or a Standard Schema`,
      )
    case 'object':
      return must(
        hasMethod(value, rule.method),
        value,
        `${at} must be an object with the method ${rule.method}`,
      )
  }
}

function must(ok: boolean, value: unknown, message: string): unknown {
  if (!ok) throw new TypeError(message)
  return value
}

function isRule(node: Rule | Shape): node is Rule {
  return typeof node.type === 'string'
}

function hasMethod(value: unknown, name: string): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
  )
}

function isStringArray(value: unknown): value is string[] {
  // Array.from: `every` would skip holes.
  return (
    Array.isArray(value) &&
    Array.from(value).every((entry) => typeof entry === 'string' && entry !== '')
  )
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isPlainObject(value) && Object.values(value).every((entry) => typeof entry === 'string')
}

/** Whether a value is an object literal, a JSON object, or an object without prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

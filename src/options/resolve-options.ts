import { isPlainObject } from '../shared/json.ts'
import { isRule, type Resolved, type Rule, type Shape } from './option-rules.ts'

/** One scope token, RFC 6749 §3.3. */
export const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/
/** A URL without user name, without fragment and without white space. */
const HTTP_URL = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#]*)?$/i
/** Literal path segments: a router reads no character of them as a pattern. */
const PATH_PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/

/**
 * Walks `input` along `shape` and answers a frozen tree with every default filled in.
 *
 * @throws TypeError with the dotted path of the first key that is unknown or has a wrong value.
 */
export function resolve<S extends Shape>(shape: S, input: unknown, path: string): Resolved<S> {
  // The tree has exactly the members of `shape`, each with a value that its rule accepts.
  return resolveShape(shape, input, path) as Resolved<S>
}

function resolveShape(shape: Shape, input: unknown, path: string): object {
  const given = input === undefined ? {} : input
  if (!isPlainObject(given)) {
    throw new TypeError(`${path} must be an object with: ${Object.keys(shape).join(', ')}`)
  }
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
        if (given[key] !== undefined) return [key, check(rule, given[key], at)]
        if (rule.required === undefined) return [key, rule.default]
        throw new TypeError(`${at} is required: ${rule.required}`)
      }),
    ),
  )
}

function check(rule: Rule, value: unknown, at: string): unknown {
  const about = rule.required === undefined ? '' : `: ${rule.required}`
  const must = (isValid: boolean, message: string): unknown => {
    if (isValid) return value
    throw new TypeError(message)
  }
  const text = typeof value === 'string' ? value : undefined
  switch (rule.type) {
    case 'boolean':
      return must(typeof value === 'boolean', `${at} must be true or false`)
    case 'integer': {
      const { min, max } = rule
      const isWithin = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      return must(isWithin, `${at} must be an integer from ${min} to ${max}`)
    }
    case 'scope':
      return must(
        text !== undefined && SCOPE_TOKEN.test(text),
        `${at} must be one scope token: printable ASCII without space, quote or backslash`,
      )
    case 'path':
      return must(
        text !== undefined && PATH_PREFIX.test(text),
        `${at} must be '' or a path such as '/api': plain segments, no slash at the end`,
      )
    case 'resource':
      return must(
        text !== undefined && URL.canParse(text) && !/[#\s]/.test(text),
        `${at} must be an absolute URI without a fragment`,
      )
    case 'text':
      return must(
        text !== undefined && text.trim() !== '',
        `${at} must be a non-empty string${about}`,
      )
    case 'url':
      return must(
        text !== undefined && HTTP_URL.test(text) && URL.canParse(text),
        `${at} must be an absolute http or https URL without user name and fragment`,
      )
    case 'oneOf':
      return must(
        text !== undefined && rule.values.includes(text),
        `${at} must be one of: ${rule.values.join(', ')}`,
      )
    case 'clients':
      return checkClients(rule.default, value, at)
    case 'clientRule':
      if (isStringArray(value)) return Object.freeze([...value])
      return must(
        typeof value === 'function',
        `${at} must be an array of client ids, or a function that tells of a client whether it may`,
      )
    case 'stringMap':
      if (isStringMap(value)) return Object.freeze({ ...value })
      return must(false, `${at} must be an object whose values are strings`)
    case 'someOf':
      if (isStringArray(value) && value.every((entry) => rule.values.includes(entry))) {
        return Object.freeze([...value])
      }
      return must(false, `${at} must be an array of: ${rule.values.join(', ')}`)
    case 'function':
      return must(typeof value === 'function', `${at} must be a function${about}`)
    case 'schema':
      return must(
        typeof value === 'function' || hasMethod(Object(value)['~standard'], 'validate'),
        `${at} must be a function or a Standard Schema`,
      )
    case 'object':
      return must(
        rule.methods.every((method) => hasMethod(value, method)),
        `${at} must be an object with the method ${rule.methods.join(' and the method ')}${about}`,
      )
    case 'valid':
      return must(rule.isValid(value), `${at} must be ${rule.what}`)
    case 'group':
      return resolveShape(rule.of, value, at)
    case 'list': {
      if (!Array.isArray(value) || value.length < rule.atLeast) {
        throw new TypeError(
          `${at} must be a list of ${rule.what}${rule.atLeast === 0 ? '' : ', at least one'}`,
        )
      }
      const { of } = rule
      // Array.from: a hole is refused, too.
      const entries = Array.from(value, (entry: unknown, index) =>
        isRule(of)
          ? check(of, entry, `${at}[${index}]`)
          : resolveShape(of, entry ?? null, `${at}[${index}]`),
      )
      return Object.freeze(entries)
    }
  }
}

/** One rule for each action. A list alone is the short form of the first rule. */
function checkClients(
  actions: { readonly [action: string]: readonly string[] },
  value: unknown,
  at: string,
): object {
  const [first = '', ...others] = Object.keys(actions)
  const given = Array.isArray(value) ? { [first]: value } : value
  if (!isPlainObject(given) || given[first] === undefined) {
    const optional = others.map((action) => `${action}?`).join(', ')
    throw new TypeError(
      `${at} must be an array of client ids, or { ${first}, ${optional} }, each an array of client ids or a function`,
    )
  }
  const shape = Object.fromEntries(
    Object.keys(actions).map((action) => [action, { type: 'clientRule', default: [] } as const]),
  )
  return resolveShape(shape, given, at)
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

import { resolve, rule, type Shape } from './option-rules.ts'
import { SIGNING_ALGORITHMS } from './signing-algorithms.ts'

/** A URL without user name, without fragment and without white space. */
const HTTP_URL = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#]*)?$/i

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && HTTP_URL.test(value) && URL.canParse(value)

/** The rule of an option that is a URL. */
export function aUrl() {
  const must = 'an absolute http or https URL without user name and fragment'
  return rule('url', isHttpUrl, must, undefined)
}

/** The rule of an option that is an integer between two bounds, which belong to it. */
export function anInteger(min: number, max: number, byDefault: number) {
  const isWithin = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  const must = `an integer from ${min} to ${max}`
  return { ...rule('integer', isWithin, must, byDefault), min, max }
}

/**
 * The rule of an option that is a function of the type `T`. The check sees that it is a function, and no
 * more.
 */
export function aFunction<T>(about = '') {
  const isFunction = (value: unknown): value is T => typeof value === 'function'
  return rule('function', isFunction, `a function${about}`, undefined)
}

/** The rule of an option that names signature algorithms. */
export function algorithms(byDefault: readonly string[]) {
  const values = SIGNING_ALGORITHMS
  const parse = (value: unknown, at: string): readonly string[] => {
    // Array.from: `every` would skip holes.
    if (Array.isArray(value) && Array.from(value).every((each) => values.includes(each))) {
      return Object.freeze([...value])
    }
    throw new TypeError(`${at} must be an array of: ${values.join(', ')}`)
  }
  return { type: 'someOf' as const, values, default: byDefault, parse }
}

/** The rule of an option that is an object with options of its own. */
export function group<S extends Shape>(of: S) {
  const parse = (value: unknown, at: string) => resolve(of, value, at)
  return { type: 'group' as const, of, default: undefined, parse }
}

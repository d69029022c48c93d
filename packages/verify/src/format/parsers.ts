import { isPlainObject } from './plain-object.ts'
/**
 * Reads a value that code of others hands over.
 *
 * @param path of the value, for the message
 * @throws TypeError that names the path
 */
export type Parser<T> = (value: unknown, path: string) => T

/** @param min, max in UTF-16 code units */
export function text(min: number, max: number): Parser<string> {
  return (value, path) => {
    if (typeof value === 'string' && value.length >= min && value.length <= max) return value
    throw new TypeError(`${path} must be a text of ${min} to ${max} characters`)
  }
}

export function wholeNumber(min: number, max: number): Parser<number> {
  return (value, path) => {
    if (isWhole(value) && value >= min && value <= max) return value
    throw new TypeError(`${path} must be a whole number from ${min} to ${max}`)
  }
}

/** 2000-01-01, in milliseconds since the epoch. */
const MIN_TIME_MS = 946_684_800_000
const DAY_MS = 86_400_000

/**
 * The time of an event, in milliseconds since the epoch. A time that no clock can have now is refused:
 * a `Date` could not hold it, or its row would stand before all others for years.
 */
export const eventTime: Parser<number> = (value, path) => {
  if (isWhole(value) && value >= MIN_TIME_MS && value <= Date.now() + DAY_MS) return value
  throw new TypeError(
    `${path} must be a whole number of milliseconds since the epoch, between the year 2000 and tomorrow`,
  )
}

export function oneOf<const T extends string | number>(values: readonly T[]): Parser<T> {
  return (value, path) => {
    const found = values.find((each) => each === value)
    if (found !== undefined) return found
    throw new TypeError(`${path} must be one of ${values.join(', ')}`)
  }
}

/** `true`, and nothing else. */
export const flag: Parser<true> = (value, path) => {
  if (value === true) return value
  throw new TypeError(`${path} must be true`)
}

export function optional<T>(parse: Parser<T>): Parser<T | undefined> {
  return (value, path) => (value === undefined ? undefined : parse(value, path))
}

export function listOf<T>(parse: Parser<T>): Parser<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new TypeError(`${path} must be a list`)
    return value.map((each, index) => parse(each, `${path}[${index}]`))
  }
}

/** A plain object with members of any kind. */
export const anyObject: Parser<Readonly<Record<string, unknown>>> = (value, path) => {
  if (isPlainObject(value)) return value
  throw new TypeError(`${path} must be an object`)
}

/**
 * An object with these members. Others are left away.
 *
 * @param members a parser for each member of the type: the compiler finds one that is missing
 */
export function objectOf<T extends object>(
  members: {
    readonly [K in keyof T]-?: Parser<T[K]>
  },
): Parser<T> {
  const parsers = Object.entries<Parser<unknown>>(members)
  return (value, path) => {
    const object = anyObject(value, path)
    const parsed = parsers.flatMap(([name, parse]) => {
      const member = parse(
        Object.hasOwn(object, name) ? object[name] : undefined,
        `${path}.${name}`,
      )
      return member === undefined ? [] : [[name, member] as const]
    })
    // The compiler does not see that each member was read by the parser of its name.
    return Object.fromEntries(parsed) as T
  }
}

/** Whether a value is what the parser reads; an object may have more members. */
export function fits<T>(parse: Parser<T>): (value: unknown) => value is T {
  return (value): value is T => {
    try {
      parse(value, '')
      return true
    } catch {
      return false
    }
  }
}

/** The value that was read, or `undefined` where it is wrong. */
export function unlessWrong<T>(parse: Parser<T>): (value: unknown) => T | undefined {
  const isRight = fits(parse)
  return (value) => (isRight(value) ? value : undefined)
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

import { knownMembers } from '../shared/json.ts'

/** Invalid input. The message begins with the path of the member. */
export class InvalidInput extends TypeError {}

/** Anything but the absence of an option. */
type Given = NonNullable<unknown>

/**
 * Reads one option. It returns the value, or `Absent` if the option is left out, which `undefined`
 * always means. It throws a TypeError that begins with the path of the option.
 */
export interface Rule<T extends Given = Given, Absent = unknown> {
  (value: unknown, path: string): T | Absent
  /** The same rule with a default. */
  or(byDefault: T): Rule<T, T>
  /**
   * The same rule for an option that must not be left out. @param about - describes it, for errors
   */
  required(about: string): Rule<T, never>
}

/** Rules by the names of their options. */
export interface Rules {
  readonly [name: string]: Rule
}

/** The options of rules after they are read: checked, with every default filled in, frozen. */
export type Resolved<R extends Rules> = { readonly [Name in keyof R]: ReturnType<R[Name]> }

/** @param about - `: ` and the description of a required option, or nothing; for the error */
type Parse<T> = (value: unknown, path: string, about: string) => T

/** A rule for an option that may be left out. */
export function rule<T extends Given>(parse: Parse<T>): Rule<T, undefined> {
  return make(parse, () => undefined)
}

function make<T extends Given, Absent>(
  parse: Parse<T>,
  absent: (path: string) => Absent,
  about = '',
): Rule<T, Absent> {
  const read = (value: unknown, path: string) =>
    value === undefined ? absent(path) : parse(value, path, about)
  return Object.assign(read, {
    or: (byDefault: T) => make(parse, () => Object.freeze(byDefault)),
    required(what: string) {
      const ending = what === '' ? about : `: ${what}`
      const refuse = (path: string): never => {
        throw new InvalidInput(`${path} is required${ending}`)
      }
      return make(parse, refuse, ending)
    },
  })
}

/**
 * A rule for a value of the type `T`, with a check that may be weaker than the type.
 *
 * @param what - describes the value, for the error
 */
export function valid<T extends Given>(
  isValid: (value: unknown) => boolean,
  what: string,
): Rule<T, undefined> {
  const accepts = (value: unknown): value is T => isValid(value)
  return rule((value, path, about) => {
    // A copy of a list, which the deployment may change.
    const given: unknown = Array.isArray(value) ? Object.freeze([...value]) : value
    if (accepts(given)) return given
    throw new InvalidInput(`${path} must be ${what}${about}`)
  })
}

export const boolean = valid<boolean>((value) => typeof value === 'boolean', 'true or false')

/** A text that is not empty. */
export const text = valid<string>(
  (value) => typeof value === 'string' && value.trim() !== '',
  'a non-empty string',
)

/**
 * A text of 1 to `max` characters that a storage keeps as it is and a line of a log can show.
 *
 * @param hasLines - allows control characters other than NUL
 */
export function boundedText(max: number, hasLines = false): Rule<string, undefined> {
  return rule((value, path) => {
    const refuse = (what: string) => new InvalidInput(`${path} must ${what}`)
    if (typeof value !== 'string') throw refuse('be a string')
    const { length } = [...value]
    if (length < 1 || length > max) throw refuse(`have 1 to ${max} characters`)
    if (value.isWellFormed() && !(hasLines ? /\0/ : /\p{Cc}/u).test(value)) return value
    throw refuse(`not contain ${hasLines ? 'NUL' : 'control characters'} or unpaired surrogates`)
  })
}

export function absoluteUri(max: number): Rule<string, undefined> {
  return valid(
    (value) =>
      typeof value === 'string' &&
      value.length <= max &&
      URL.canParse(value) &&
      !/[#\s]/.test(value),
    'an absolute URI without a fragment',
  )
}

export function integer(min: number, max: number): Rule<number, undefined> {
  return valid(
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    `an integer from ${min} to ${max}`,
  )
}

/** A maximum lifetime. */
export const seconds = valid<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  'a positive integer: seconds',
)

export function oneOf<const T extends string>(values: readonly T[]): Rule<T, undefined> {
  return valid((value) => values.some((each) => each === value), `one of: ${values.join(', ')}`)
}

/** A function of the type `T`. The check is for a function, and no more. */
export function aFunction<T extends Given>(): Rule<T, undefined> {
  return valid((value) => typeof value === 'function', 'a function')
}

/** An object of the type `T`. The check is for its methods, and no more. */
export function objectWith<T extends Given>(
  ...methods: readonly (keyof T & string)[]
): Rule<T, undefined> {
  return valid(
    (value) => methods.every((method) => hasMethod(value, method)),
    `an object with the method ${methods.join(' and the method ')}`,
  )
}

export function hasMethod(value: unknown, name: string): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
  )
}

/**
 * A list of at least so many entries.
 *
 * @param what - describes the entries, for the error
 */
export function list<T extends Given>(
  of: Rule<T>,
  what: string,
  atLeast: 0 | 1,
): Rule<readonly T[], undefined> {
  const parseEntry = of.required('')
  return rule((value, path) => {
    if (!Array.isArray(value) || value.length < atLeast) {
      throw new InvalidInput(
        `${path} must be a list of ${what}${atLeast === 0 ? '' : ', at least one'}`,
      )
    }
    // Array.from: a hole is refused, too, and so is an entry that is absent.
    return Object.freeze(
      Array.from(value, (entry: unknown, index) => parseEntry(entry ?? null, `${path}[${index}]`)),
    )
  })
}

export function someOf<const T extends string>(
  values: readonly T[],
): Rule<readonly T[], undefined> {
  return list(oneOf(values), `these: ${values.join(', ')}`, 0)
}

/** Options of their own. If the group is left out, so are all of them. */
export function group<R extends Rules>(of: R): Rule<Resolved<R>, Resolved<R>> & { readonly of: R } {
  const parse = (value: unknown, path: string) => resolve(of, value, path)
  return Object.assign(
    make(parse, (path) => parse({}, path)),
    { of },
  )
}

/** Options of their own, or nothing. */
export function optionalGroup<R extends Rules>(of: R): Rule<Resolved<R>, undefined> {
  return rule((value, path) => resolve(of, value, path))
}

/**
 * Reads an object of options.
 *
 * @throws TypeError that begins with the path of the first option that is unknown or wrong
 */
export function resolve<R extends Rules>(rules: R, options: unknown, path: string): Resolved<R> {
  const known = Object.keys(rules).join(', ')
  const refusal = (unknown?: string) =>
    unknown === undefined
      ? `${path} must be an object with: ${known}`
      : `${path}.${unknown} is not a known option; known are: ${known}`
  return Object.freeze(
    readMembers(rules, options === undefined ? {} : options, `${path}.`, refusal),
  )
}

/**
 * Reads a JSON object by a rule for each member.
 *
 * @throws {@link InvalidInput} for an unknown member, or one that is wrong
 */
export function readInput<R extends Rules>(rules: R, input: unknown): Resolved<R> {
  return readMembers(rules, input, '', (unknown) =>
    unknown === undefined
      ? 'a JSON object is expected'
      : `${unknown} is not known; known are: ${Object.keys(rules).join(', ')}`,
  )
}

/** A member that is absent and has no default is left out of the result. */
function readMembers<R extends Rules>(
  rules: R,
  value: unknown,
  prefix: string,
  refusal: (unknown?: string) => string,
): Resolved<R> {
  const names = Object.keys(rules)
  const given = knownMembers(value, names, (unknown) => new InvalidInput(refusal(unknown)))
  const members: Record<string, unknown> = {}
  for (const name of names) {
    const read: unknown = rules[name]?.(given[name], prefix + name)
    if (read !== undefined) members[name] = read
  }
  // Each member is the result of its rule.
  return members as Resolved<R>
}

export function isTextList(value: unknown): value is string[] {
  // Array.from: `every` would skip holes.
  return (
    Array.isArray(value) &&
    Array.from(value).every((entry) => typeof entry === 'string' && entry !== '')
  )
}

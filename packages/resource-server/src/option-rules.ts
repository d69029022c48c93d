/** What one option must be. `undefined` always means absent. The other members are for the reference. */
export interface Rule<T, D = T> {
  readonly type: string
  readonly default: D
  /** What the option is, for errors. An option without this text may be absent. */
  readonly required?: string
  readonly parse: (value: unknown, at: string) => T
}

export type Shape = { readonly [name: string]: Rule<unknown, unknown> }

/** What the options of a shape are once they are checked and every default is filled in. */
export type Resolved<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Rule<infer T, infer D>
    ? T | (S[K] extends { readonly required: string } ? never : D)
    : never
}

/** A rule that takes the values that `isValid` knows, as they are. */
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
 * Checks an object of options, and answers a frozen one with every default filled in.
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

/** Whether a value is an object literal, a JSON object, or an object without prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

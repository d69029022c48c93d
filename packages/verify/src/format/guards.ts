/** Tells whether a value that was read as JSON has a form. */
export type Guard<T> = (value: unknown) => value is T

/** The type that a guard checks. */
export type Guarded<G> = G extends Guard<infer T> ? T : never

/** Returns true for an object literal, a JSON object, and an object without prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** 1 or more. */
export const isCount = (value: unknown): value is number => isInteger(value) && value > 0

export function isAbsentOr<T>(isRight: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || isRight(value)
}

export function isListOf<T>(isRight: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isRight)
}

/**
 * An object with these members. It may have others.
 *
 * @param members a guard for each member of the type: the compiler finds one that is missing
 */
export function isObjectOf<T extends object>(
  members: {
    readonly [K in keyof T]-?: Guard<T[K]>
  },
): Guard<T> {
  const guards = Object.entries<Guard<unknown>>(members)
  return (value): value is T =>
    isPlainObject(value) &&
    guards.every(([name, isRight]) => isRight(Object.hasOwn(value, name) ? value[name] : undefined))
}

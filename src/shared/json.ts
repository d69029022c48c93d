import { printable } from './text.ts'

/** Freezes a tree of JSON at every level, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}

/** Copies a value as JSON holds it; `null` for a value that JSON has no text for. */
export function copyAsJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

/** Checks whether JSON is nested deeper than the given number of levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}

/** Checks for an object literal, a JSON object, or an object without prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** The members that are not `undefined`. Members that may be are optional. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns the members that are not `undefined`. */
export function present<T extends object>(members: T): Present<T> {
  // The compiler does not see that only the members without a value are missing.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<T>
}

/**
 * Returns the members of an object that has no others. Otherwise, a mistyped member would be
 * ignored silently.
 *
 * @param refuse - makes the error for the first unknown member, or for a value that is no object
 */
export function knownMembers<Name extends string>(
  value: unknown,
  names: readonly Name[],
  refuse: (unknown?: string) => Error,
): { readonly [Member in Name]?: unknown } {
  if (!isPlainObject(value)) throw refuse()
  const known: readonly string[] = names
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refuse(printable(unknown, 64))
  // `names` must not name a member that every object inherits.
  return value as { readonly [Member in Name]?: unknown }
}

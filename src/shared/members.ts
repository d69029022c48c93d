import { isPlainObject } from './plain-object.ts'
import { printable } from './printable.ts'

/**
 * The members of an object that has no others: a mistyped one would otherwise be ignored silently.
 *
 * @param refuse makes the error: of the first member that is not known, or of a value that is no object
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
  // `names` may name no member that every object inherits.
  return value as { readonly [Member in Name]?: unknown }
}

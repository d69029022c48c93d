/** The members that are not `undefined`: those that may be are optional. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the members that are `undefined`. */
export function present<T extends object>(members: T): Present<T> {
  const found: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) found[name] = value
  }
  // The compiler does not see that only the members without a value are missing.
  return found as Present<T>
}

/** A text that is not empty; `undefined` for anything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number of 1 or more. */
export function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

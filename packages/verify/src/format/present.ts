/** The members that are not `undefined`: those that may be are optional. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the members that are `undefined`. */
export function present<T extends object>(members: T): Present<T> {
  // The compiler does not see that only the members without a value are missing.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<T>
}

/** A text that is not empty; `undefined` for anything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number of 1 or more. */
export function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

/** The place of a row in the list of rows. */
export interface RowPlace {
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly id: string
}

/** A place as text that URLs contain without escaping. */
export function rowCursor({ at, id }: RowPlace): string {
  return `${at}.${id}`
}

/** @throws RangeError for a text that {@link rowCursor} cannot have made */
export function parseRowCursor(cursor: string): RowPlace {
  const [, at, id] = /^(0|[1-9]\d{0,15})\.([\w-]{1,64})$/.exec(cursor) ?? []
  if (at === undefined || id === undefined || !Number.isSafeInteger(Number(at))) {
    throw malformedCursor()
  }
  return { at: Number(at), id }
}

/**
 * Reads a cursor that is a number of an entry: at least 1, and at most the largest safe integer.
 *
 * @throws RangeError when it is not such a number
 */
export function parseNumberCursor(cursor: string): number {
  const number = /^[1-9]\d{0,15}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw malformedCursor()
}

/** Cursors come from clients. This refuses a cursor that no store can have made. */
function malformedCursor(): RangeError {
  return new RangeError('the cursor is malformed')
}

/** Positive where `a` is newer than `b`. */
export function comparePlaces(a: RowPlace, b: RowPlace): number {
  if (a.at !== b.at) return a.at - b.at
  return a.id === b.id ? 0 : a.id > b.id ? 1 : -1
}

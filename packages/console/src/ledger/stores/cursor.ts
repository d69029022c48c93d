const CURSOR_CODE = 'ERR_AUDIT_CURSOR'

/** The position of a row in the list of rows. */
export interface RowPosition {
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly id: string
}

/** A position as text that URLs contain without escaping. */
export function rowCursor({ at, id }: RowPosition): string {
  return `${at}.${id}`
}

/** @throws RangeError for a text that {@link rowCursor} cannot have made */
export function parseRowCursor(cursor: string): RowPosition {
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

/** Cursors come from clients: the error for a cursor that no store can have made. */
function malformedCursor(): RangeError {
  return Object.assign(new RangeError('the cursor is malformed'), { code: CURSOR_CODE })
}

/** Whether it comes from a cursor: JavaScript throws a RangeError of its own for many reasons. */
export function isMalformedCursor(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === CURSOR_CODE
}

import { invalid } from '../../kernel/problem.ts'

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

/** @throws Problem for a text that {@link rowCursor} cannot have made */
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
 * @throws Problem when it is not such a number
 */
export function parseNumberCursor(cursor: string): number {
  const number = /^[1-9]\d{0,15}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw malformedCursor()
}

/** Cursors come from clients: the error for a cursor that no store can have made. */
const malformedCursor = () => invalid('the cursor is malformed')

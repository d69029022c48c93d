import { Problem } from '../http/problem.ts'

/** Cursors come from clients. This refuses a cursor that no store can have made. */
export function malformedCursor(): Problem {
  return new Problem(400, 'invalid_request', 'the cursor is malformed')
}

/**
 * Reads a cursor that is a number: at least 1, and at most the largest safe integer.
 *
 * @throws Problem 400 when it is not such a number.
 */
export function numberOf(cursor: string): number {
  const number = /^[1-9]\d{0,15}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw malformedCursor()
}

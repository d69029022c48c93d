import { Problem } from '../http/problem.ts'

/** Cursors come from clients: whatever no store can have made is refused here. */
export function malformedCursor(): Problem {
  return new Problem(400, 'invalid_request', 'the cursor is malformed')
}

/**
 * A cursor that is a number: from 1, and no larger than JavaScript counts.
 *
 * @throws Problem 400 when it is none.
 */
export function numberOf(cursor: string): number {
  const number = /^[1-9]\d{0,15}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw malformedCursor()
}

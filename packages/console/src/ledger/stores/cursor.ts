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

/**
 * Reads a cursor, which comes from a client.
 *
 * @throws Problem for a text that {@link rowCursor} cannot have made
 */
export function parseRowCursor(cursor: string): RowPosition {
  const [, at, id] = /^(0|[1-9]\d{0,15})\.([\w-]{1,64})$/.exec(cursor) ?? []
  if (id !== undefined && Number.isSafeInteger(Number(at))) return { at: Number(at), id }
  throw invalid('the cursor is malformed')
}

import * as v from 'valibot'
import { exactly, type Read, readBy, wholeNumber } from '../../kernel/input.ts'
import { MAX_CURSOR_LENGTH, MAX_ID_LENGTH } from '../../kernel/limits.ts'
import { invalid } from './problem.ts'

/**
 * Reads the parameters of a request. Each has a known name and appears once; an empty one is absent.
 *
 * @throws Problem 400 that names the parameter
 */
export function readQuery<const E extends v.ObjectEntries>(search: string, entries: E): Read<E> {
  const given = new URLSearchParams(search)
  if (new Set(given.keys()).size < given.size) throw invalid('a parameter is repeated')
  const present = [...given].filter(([, value]) => value !== '')
  return readBy(exactly(entries), Object.fromEntries(present), invalid)
}

/** A text of at most so many characters, as a database can hold it. */
export function textParameter(most: number) {
  const message = `must be a text of 1 to ${most} characters`
  return v.pipe(
    v.string(message),
    v.check((value) => [...value].length <= most, message),
    v.check((value) => value.isWellFormed() && !value.includes('\0'), message),
  )
}

export function numberParameter(least: number, most: number) {
  return orDigits(wholeNumber(least, most))
}

/** A number: in JSON as such, in a query and a form as its digits. */
export function orDigits<const S extends v.GenericSchema<unknown, number | undefined>>(schema: S) {
  return v.pipe(
    v.unknown(),
    v.transform((value) =>
      typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value,
    ),
    schema,
  )
}

/** `true`, or absent: in JSON as such, in a query and a form as its text. */
export const checked = v.optional(
  v.pipe(
    v.unknown(),
    v.check((value) => value === true || value === 'true', 'must be true'),
    v.transform(() => true as const),
  ),
)

/** The cursor at which a list goes on. */
export const cursor = v.optional(textParameter(MAX_CURSOR_LENGTH))

/** An account id. */
export const personId = v.optional(textParameter(MAX_ID_LENGTH))

/** A text that a person types to find something. */
export const searchWords = v.optional(textParameter(100))

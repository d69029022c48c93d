import { isPlainObject } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'

/** Told what was wrong with an input, and what is expected. */
export type ErrorOf = (message: string) => Error

/** A schema for each member of the type: the compiler finds one that is missing. */
export type SchemasOf<T> = { readonly [K in keyof T]-?: v.GenericSchema<unknown, T[K]> }

/**
 * Reads what comes from outside, once: what is behind it asks no more.
 *
 * @param root what the value is called; without it, a message begins with the name of the member
 * @throws what `errorOf` makes of the first thing that is wrong: `use.timeMs must be …`
 */
export function readBy<const S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  errorOf: ErrorOf = (message) => new TypeError(message),
  root?: string,
): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, value, EARLY)
  if (success) return output
  throw errorOf(messageOf(issues[0], root))
}

const EARLY = { abortEarly: true, abortPipeEarly: true } as const

/** Messages are predicates: *must be a text of 1 to 10 characters*. */
function messageOf({ input, message, path }: v.BaseIssue<unknown>, root?: string): string {
  const keys = (path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
  const place = `${root ?? ''}${keys.join('')}`.replace(/^\./, '') || 'the body'
  const isAbsent = input === undefined || (typeof input === 'string' && input.trim() === '')
  const what = isAbsent ? message.replace(/^must be /, 'is required: ') : message
  return what.startsWith(NOT_KNOWN) ? what : `${place} ${what}`
}

/** The name is not repeated: it may be any text. */
const NOT_KNOWN = 'there is a name that is not known here'

/** The type of an object with these members once it is read. */
export type Read<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>

/** An object with these members and no others. */
export function exactly<const E extends v.ObjectEntries>(entries: E) {
  return v.pipe(plainObject<E>(), v.strictObject(entries, problemWith(entries)))
}

/** An object with these members. Others are left away. */
export function objectOf<const E extends v.ObjectEntries>(entries: E) {
  return v.pipe(plainObject<E>(), v.object(entries, problemWith(entries)))
}

/** A list, or an object of a class, has members, too. */
function plainObject<E extends v.ObjectEntries>() {
  return v.custom<v.InferInput<v.ObjectSchema<E, undefined>>>(isPlainObject, 'must be an object')
}

function problemWith(entries: v.ObjectEntries) {
  return ({ expected, path }: v.BaseIssue<unknown>): string => {
    if (expected === 'never')
      return `${NOT_KNOWN}; known are: ${Object.keys(entries).join(', ') || 'none'}`
    // Of a member that is absent, the message is that of its schema.
    const member = entries[String(path?.at(-1)?.key)]
    return member && 'message' in member ? String(member.message) : 'must be there'
  }
}

/** An object with members of any kind. */
export const anyObject = v.custom<Readonly<Record<string, unknown>>>(
  isPlainObject,
  'must be an object',
)

/** @param least, most in UTF-16 code units */
export function text(least: number, most: number) {
  const message = `must be a text of ${least} to ${most} characters`
  return v.pipe(
    v.string(message),
    v.check(({ length }) => length >= least && length <= most, message),
  )
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const message =
    most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`
  return v.custom<number>(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    message,
  )
}

export function oneOf<const T extends string>(values: readonly T[]) {
  return v.picklist(values, `must be one of: ${values.join(', ')}`)
}

/** `true`, and nothing else. */
export const flag = v.literal(true, 'must be true')

export function listOf<const S extends v.GenericSchema>(of: S) {
  return v.array(of, 'must be a list')
}

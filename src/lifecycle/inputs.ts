import type {
  EndCause,
  EndOptions,
  ImpersonationFilter,
  ImpersonationQuery,
  ImpersonationState,
} from '../public/lifecycle.ts'
import { isPlainObject } from '../shared/json.ts'
import { printable } from '../shared/printable.ts'

/** What was asked cannot be understood. The message names the member. */
export class InvalidInput extends TypeError {}

const STATES: readonly ImpersonationState[] = ['issued', 'active', 'ended', 'expired']
/** What a caller over HTTP may say. */
const CAUSES: readonly EndCause[] = ['requested', 'user', 'policy']
/** What the deployment's own code may say. */
export const ALL_CAUSES: readonly EndCause[] = [...CAUSES, 'operator_signed_out', 'replay']
const FILTERS = ['userId', 'actor', 'issuedTo'] as const
const QUERY = [...FILTERS, 'state', 'limit', 'cursor'] as const
const HOW = ['by', 'cause', 'reason'] as const
const MAX_LIMIT = 100
const MAX_ID = 1024
const MAX_SUB = 255
const MAX_REASON = 1024

/** @throws {@link InvalidInput} for an unknown member, or one that is wrong */
export function checkQuery(input: unknown): ImpersonationQuery {
  const given = members(input, QUERY)
  const { state, limit, cursor } = given
  if (state !== undefined && !STATES.some((each) => each === state)) {
    throw new InvalidInput(`state must be one of: ${STATES.join(', ')}`)
  }
  if (limit !== undefined && !(isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT)) {
    throw new InvalidInput(`limit must be an integer from 1 to ${MAX_LIMIT}`)
  }
  if (cursor !== undefined && typeof cursor !== 'string') {
    throw new InvalidInput('cursor must be the text that the page before answered as next')
  }
  return { ...filterIn(given), state: state as ImpersonationQuery['state'], limit, cursor }
}

/** @throws {@link InvalidInput} for a filter that would match everything, too */
export function checkFilter(input: unknown): ImpersonationFilter {
  const filter = filterIn(members(input, FILTERS))
  if (Object.keys(filter).length === 0) {
    throw new InvalidInput(`at least one of ${FILTERS.join(', ')} is required`)
  }
  return filter
}

/**
 * @param causes what `cause` may be
 * @throws {@link InvalidInput}
 */
export function checkEnd(input: unknown, causes: readonly EndCause[] = CAUSES): EndOptions {
  const { by, cause, reason } = members(input ?? {}, HOW)
  if (cause !== undefined && !causes.some((each) => each === cause)) {
    throw new InvalidInput(`cause must be one of: ${causes.join(', ')}`)
  }
  return {
    ...(by === undefined ? {} : { by: { sub: subOf(by) } }),
    cause: cause as EndCause | undefined,
    ...(reason === undefined ? {} : { reason: text('reason', reason, MAX_REASON) }),
  }
}

/** The filter and the way to end, from one object that has both. */
export function checkEndAll(input: unknown): { filter: ImpersonationFilter; how: EndOptions } {
  const { by, cause, reason, ...filter } = members(input, [...FILTERS, ...HOW])
  return { filter: checkFilter(filter), how: checkEnd({ by, cause, reason }) }
}

function members<Name extends string>(
  input: unknown,
  names: readonly Name[],
): { readonly [Member in Name]?: unknown } {
  if (!isPlainObject(input)) throw new InvalidInput('a JSON object is expected')
  const known: readonly string[] = names
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new InvalidInput(`${printable(unknown, 64)} is not known; known are: ${names.join(', ')}`)
  }
  return input as { readonly [Member in Name]?: unknown }
}

function filterIn(given: { readonly [name: string]: unknown }): ImpersonationFilter {
  const entries = FILTERS.flatMap((name) => {
    const value = given[name]
    return value === undefined ? [] : [[name, text(name, value, MAX_ID)]]
  })
  return Object.fromEntries(entries)
}

function subOf(by: unknown): string {
  if (!isPlainObject(by) || Object.keys(by).join() !== 'sub') {
    throw new InvalidInput('by must be an object with sub and nothing else')
  }
  const sub = text('by.sub', by.sub, MAX_SUB)
  if (/\p{Cc}/u.test(sub)) throw new InvalidInput('by.sub must not contain control characters')
  return sub
}

function text(name: string, value: unknown, longest: number): string {
  const length = typeof value === 'string' ? [...value].length : 0
  if (typeof value !== 'string' || length < 1 || length > longest) {
    throw new InvalidInput(`${name} must be a string of 1 to ${longest} characters`)
  }
  if (!value.isWellFormed() || /\0/.test(value)) {
    throw new InvalidInput(`${name} must be well-formed text without NUL`)
  }
  return value
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

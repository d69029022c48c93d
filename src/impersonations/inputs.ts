import type {
  EndCause,
  EndOptions,
  ImpersonationFilter,
  ImpersonationQuery,
  ImpersonationState,
} from '../public/objects.ts'
import { knownMembers } from '../shared/json.ts'
import { boundedText } from '../shared/text.ts'

/** What was asked cannot be understood. The message names the member. */
export class InvalidInput extends TypeError {}

const STATE_NAMES: readonly ImpersonationState[] = ['issued', 'active', 'ended', 'expired']
/** What a caller over HTTP may say. */
const HTTP_CAUSES: readonly EndCause[] = ['requested', 'user', 'policy']
/** What the deployment's own code may say. */
export const ALL_CAUSES: readonly EndCause[] = [...HTTP_CAUSES, 'operator_signed_out', 'replay']
const FILTER_NAMES = ['userId', 'actor', 'requestedBy', 'client', 'permit'] as const
const QUERY_NAMES = [...FILTER_NAMES, 'state', 'limit', 'cursor'] as const
const END_OPTION_NAMES = ['by', 'cause', 'reason'] as const
const MAX_LIMIT = 100
const MAX_ID_LENGTH = 1024
const MAX_SUB_LENGTH = 255
const MAX_REASON_LENGTH = 1024

/** @throws {@link InvalidInput} for an unknown member, or one that is wrong */
export function checkQuery(input: unknown): ImpersonationQuery {
  const given = members(input, QUERY_NAMES)
  const { state, limit, cursor } = given
  if (state !== undefined && !STATE_NAMES.some((each) => each === state)) {
    throw new InvalidInput(`state must be one of: ${STATE_NAMES.join(', ')}`)
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
  const filter = filterIn(members(input, FILTER_NAMES))
  if (Object.keys(filter).length === 0) {
    throw new InvalidInput(`at least one of ${FILTER_NAMES.join(', ')} is required`)
  }
  return filter
}

/**
 * @param causes what `cause` may be
 * @throws {@link InvalidInput}
 */
export function checkEnd(input: unknown, causes: readonly EndCause[] = HTTP_CAUSES): EndOptions {
  const { by, cause, reason } = members(input ?? {}, END_OPTION_NAMES)
  if (cause !== undefined && !causes.some((each) => each === cause)) {
    throw new InvalidInput(`cause must be one of: ${causes.join(', ')}`)
  }
  return {
    ...(by === undefined ? {} : { by: { sub: parseBy(by) } }),
    cause: cause as EndCause | undefined,
    ...(reason === undefined
      ? {}
      : { reason: boundedText('reason', reason, MAX_REASON_LENGTH, refuse, true) }),
  }
}

/**
 * What the application in which the operator acts may say of an end.
 *
 * @throws {@link InvalidInput}
 */
export function checkCurrentEnd(input: unknown): { readonly reason?: 'left' } {
  const { reason } = members(input, ['reason'])
  if (reason !== undefined && reason !== 'left') throw new InvalidInput('reason must be left')
  return reason === undefined ? {} : { reason }
}

/** The filter and the way to end, from one object that has both. */
export function checkEndAll(input: unknown): { filter: ImpersonationFilter; how: EndOptions } {
  const { by, cause, reason, ...filter } = members(input, [...FILTER_NAMES, ...END_OPTION_NAMES])
  return { filter: checkFilter(filter), how: checkEnd({ by, cause, reason }) }
}

function members<Name extends string>(
  input: unknown,
  names: readonly Name[],
): { readonly [Member in Name]?: unknown } {
  return knownMembers(input, names, (unknown) => {
    if (unknown === undefined) return new InvalidInput('a JSON object is expected')
    return new InvalidInput(`${unknown} is not known; known are: ${names.join(', ')}`)
  })
}

function filterIn(given: { readonly [name: string]: unknown }): ImpersonationFilter {
  const entries = FILTER_NAMES.flatMap((name) => {
    const value = given[name]
    return value === undefined ? [] : [[name, boundedText(name, value, MAX_ID_LENGTH, refuse)]]
  })
  return Object.fromEntries(entries)
}

function parseBy(by: unknown): string {
  const { sub } = knownMembers(by, ['sub'], () =>
    refuse('by must be an object with sub and nothing else'),
  )
  return boundedText('by.sub', sub, MAX_SUB_LENGTH, refuse)
}

function refuse(message: string): InvalidInput {
  return new InvalidInput(message)
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

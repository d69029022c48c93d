import {
  boundedText,
  InvalidInput,
  integer,
  oneOf,
  readInput,
  rule,
  valid,
} from '../options/rules.ts'
import type {
  EndCause,
  EndOptions,
  ImpersonationFilter,
  ImpersonationQuery,
} from '../public/objects.ts'
import { knownMembers } from '../shared/json.ts'

const MAX_LIMIT = 100
const MAX_ID_LENGTH = 1024
const MAX_REASON_LENGTH = 1024

const id = boundedText(MAX_ID_LENGTH)
const sub = boundedText(255).required('')
const FILTER = { userId: id, actor: id, requestedBy: id, client: id, permit: id }

const QUERY = {
  ...FILTER,
  state: oneOf(['issued', 'active', 'ended', 'expired']),
  limit: integer(1, MAX_LIMIT),
  cursor: valid<string>(
    (value) => typeof value === 'string',
    'the text that the page before answered as next',
  ),
}

/** The members of an end that the deployment's own code may set. */
export const END = {
  by: rule((value) => {
    const refuse = () => new InvalidInput('by must be an object with sub and nothing else')
    const by = knownMembers(value, ['sub'], refuse)
    return { sub: sub(by.sub, 'by.sub') }
  }),
  cause: oneOf<EndCause>(['requested', 'user', 'policy', 'operator_signed_out', 'replay']),
  reason: boundedText(MAX_REASON_LENGTH, true),
}
/** The members of an end that a caller over HTTP may set. */
export const END_OVER_HTTP = { ...END, cause: oneOf<EndCause>(['requested', 'user', 'policy']) }
/** The members of an end that the operator's application may set. */
export const CURRENT_END = { reason: valid<'left'>((value) => value === 'left', 'left') }

/** @throws {@link InvalidInput} */
export function readQuery(input: unknown): ImpersonationQuery {
  return readInput(QUERY, input)
}

/** @throws {@link InvalidInput} also for a filter that would match everything */
export function readFilter(input: unknown): ImpersonationFilter {
  const filter = readInput(FILTER, input)
  if (Object.keys(filter).length > 0) return filter
  throw new InvalidInput(`at least one of ${Object.keys(FILTER).join(', ')} is required`)
}

/** Reads the filter and the options of the end from one object that has both. */
export function readEndAll(input: unknown): { filter: ImpersonationFilter; how: EndOptions } {
  const { by, cause, reason, ...filter } = readInput({ ...FILTER, ...END_OVER_HTTP }, input)
  return { filter: readFilter(filter), how: { by, cause, reason } }
}

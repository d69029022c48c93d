import { errors } from 'oidc-provider'
import type { ResolvedOptions } from '../options.ts'
import { isPlainObject } from '../options-validation.ts'

/** A request for a subject token, every member of which is known to be well-formed. */
export interface IssueRequest {
  readonly userId: string
  /** The `context` as JSON; `'{}'` if none was given. */
  readonly context: string
}

const CONTROL_CHARACTER = /\p{Cc}/u
/** Far more than any ticket needs, and nothing that recursion minds. */
const MAX_DEPTH = 32
const MEMBERS: ReadonlySet<string> = new Set(['userId', 'context'])

/**
 * Reads the JSON body once.
 *
 * @throws errors.InvalidRequest naming the member.
 */
export function parseIssueRequest(body: unknown, limits: ResolvedOptions['limits']): IssueRequest {
  if (!isPlainObject(body)) throw new errors.InvalidRequest('the body must be a JSON object')
  // A mistyped `context` must not vanish silently.
  const unknown = Object.keys(body).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) {
    throw new errors.InvalidRequest(`${printable(unknown)} is not a known member`)
  }
  return Object.freeze({
    userId: parseUserId(body.userId, limits.userIdLength),
    context: parseContext(body.context, limits.contextBytes),
  })
}

function parseUserId(value: unknown, maxLength: number): string {
  if (value === undefined) throw new errors.InvalidRequest('userId is required')
  if (typeof value !== 'string') throw new errors.InvalidRequest('userId must be a string')
  const length = [...value].length
  if (length < 1 || length > maxLength) {
    throw new errors.InvalidRequest(`userId must have 1 to ${maxLength} characters`)
  }
  if (CONTROL_CHARACTER.test(value) || !value.isWellFormed()) {
    throw new errors.InvalidRequest(
      'userId must not contain control characters or unpaired surrogates',
    )
  }
  return value
}

function parseContext(value: unknown, maxBytes: number): string {
  if (value === undefined) return '{}'
  if (!isPlainObject(value)) throw new errors.InvalidRequest('context must be a JSON object')
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new errors.InvalidRequest(`context must not be nested deeper than ${MAX_DEPTH} levels`)
  }
  const json = JSON.stringify(value)
  if (Buffer.byteLength(json) > maxBytes) {
    throw new errors.InvalidRequest(`context must not exceed ${maxBytes} bytes of JSON`)
  }
  return json
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}

/** A member's name as it may stand in an error: short, and in the characters of RFC 6749 §5.2. */
function printable(name: string): string {
  return name.slice(0, 64).replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}

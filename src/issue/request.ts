import { errors } from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import { MAX_CONTEXT_DEPTH } from '../policy/context-schema.ts'
import type { Binding } from '../public/binding.ts'
import { isDeeperThan } from '../shared/json.ts'
import { knownMembers } from '../shared/members.ts'
import { isPlainObject } from '../shared/plain-object.ts'
import { identifier, parseBinding } from './parse-binding.ts'

/** A request for a subject token, every member of which is known to be well-formed. */
export interface IssueRequest {
  readonly userId: string
  readonly context: Record<string, unknown>
  readonly binding: Binding
  /** Seconds; `undefined` means the full lifetime of subject tokens. */
  readonly expiresIn: number | undefined
}

const MEMBER_NAMES = ['userId', 'context', 'mayAct', 'resource', 'scope', 'expiresIn'] as const

/**
 * Reads the JSON body once.
 *
 * @throws errors.InvalidRequest naming the member.
 */
export function parseIssueRequest(
  json: unknown,
  { limits, managementApi }: Pick<ResolvedOptions, 'limits' | 'managementApi'>,
): IssueRequest {
  const body = knownMembers(json, MEMBER_NAMES, (unknown) => {
    const message =
      unknown !== undefined ? `${unknown} is not a known member` : 'the body must be a JSON object'
    return new errors.InvalidRequest(message)
  })
  const missing = managementApi.requireBinding.find((member) => body[member] === undefined)
  if (missing !== undefined) throw new errors.InvalidRequest(`${missing} is required`)
  return Object.freeze({
    userId: identifier('userId', body.userId, limits.userIdLength),
    context: parseContext(body.context),
    binding: parseBinding(body, limits.userIdLength),
    expiresIn: parseExpiresIn(body.expiresIn),
  })
}

/** The context as it is stored. Checked again after the schema has run. */
export function serialisedContext(context: Record<string, unknown>, maxBytes: number): string {
  const json = JSON.stringify(context)
  if (Buffer.byteLength(json) > maxBytes) {
    throw new errors.InvalidRequest(`context must not exceed ${maxBytes} bytes of JSON`)
  }
  return json
}

function parseContext(value: unknown): Record<string, unknown> {
  if (value === undefined) return {}
  if (!isPlainObject(value)) throw new errors.InvalidRequest('context must be a JSON object')
  if (isDeeperThan(value, MAX_CONTEXT_DEPTH)) {
    throw new errors.InvalidRequest(
      `context must not be nested deeper than ${MAX_CONTEXT_DEPTH} levels`,
    )
  }
  return value
}

function parseExpiresIn(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new errors.InvalidRequest('expiresIn must be a positive integer: seconds')
  }
  return value
}

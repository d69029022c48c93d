import { errors } from 'oidc-provider'
import type { ResolvedOptions } from '../options/defaults.ts'
import type {
  AuthorizationRequest,
  Binding,
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
  MayAct,
} from '../public/hooks.ts'
import { isDeeperThan, isPlainObject, knownMembers, present } from '../shared/json.ts'
import { boundedText, printable } from '../shared/text.ts'

/** A request for a subject token, every member of which is known to be well-formed. */
export interface IssueRequest {
  readonly userId: string
  readonly context: Record<string, unknown>
  readonly binding: Binding
  /** The operator whom it is bound to. */
  readonly actor: AuthorizationRequest['actor']
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
  const userId = identifier('userId', body.userId, limits.userIdLength)
  const context = parseContext(body.context)
  const binding = parseBinding(body, limits.userIdLength)
  const sub = binding.mayAct?.sub
  return Object.freeze({
    userId,
    context,
    binding,
    actor: sub === undefined ? undefined : Object.freeze({ sub }),
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

/** RFC 6749 §3.3, and no more than a form field could carry. */
const SCOPE_PATTERN = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/
const MAX_SCOPE_LENGTH = 1024
const MAX_RESOURCES = 16
const MAX_RESOURCE_LENGTH = 2048

/**
 * Reads the members that bind the token.
 *
 * @throws errors.InvalidRequest naming the member.
 */
function parseBinding(
  body: { readonly mayAct?: unknown; readonly resource?: unknown; readonly scope?: unknown },
  maxIdLength: number,
): Binding {
  const mayAct = body.mayAct === undefined ? undefined : parseMayAct(body.mayAct, maxIdLength)
  const resource = body.resource === undefined ? undefined : parseResource(body.resource)
  const scope = body.scope === undefined ? undefined : parseScope(body.scope)
  return Object.freeze(present({ mayAct, resource, scope }))
}

/** An account's or a client's id, as it may come from outside. */
function identifier(name: string, value: unknown, maxLength: number): string {
  return boundedText(name, value, maxLength, (message) => new errors.InvalidRequest(message))
}

function parseMayAct(value: unknown, maxLength: number): MayAct {
  const refuse = (unknown?: string) =>
    new errors.InvalidRequest(
      unknown === undefined
        ? 'mayAct must be a JSON object'
        : 'mayAct must have sub, clientId or both, and nothing else',
    )
  const { sub, clientId } = knownMembers(value, ['sub', 'clientId'], refuse)
  if (sub === undefined && clientId === undefined) throw refuse('')
  return Object.freeze({
    ...(sub === undefined ? {} : { sub: identifier('mayAct.sub', sub, maxLength) }),
    ...(clientId === undefined
      ? {}
      : { clientId: identifier('mayAct.clientId', clientId, maxLength) }),
  })
}

function parseResource(value: unknown): readonly string[] {
  const resources: unknown[] = Array.isArray(value) ? value : [value]
  if (resources.length < 1 || resources.length > MAX_RESOURCES) {
    throw new errors.InvalidRequest(`resource must be one URI, or 1 to ${MAX_RESOURCES}`)
  }
  return Object.freeze(
    resources.map((resource) => {
      // RFC 8707 §2: "an absolute URI [...] MUST NOT include a fragment component".
      if (
        typeof resource !== 'string' ||
        resource.length > MAX_RESOURCE_LENGTH ||
        !URL.canParse(resource) ||
        resource.includes('#')
      ) {
        throw new errors.InvalidRequest('resource must be an absolute URI without a fragment')
      }
      return resource
    }),
  )
}

function parseScope(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH || !SCOPE_PATTERN.test(value)) {
    throw new errors.InvalidRequest('scope must be scope tokens, separated by single spaces')
  }
  return value
}

/**
 * The maximum nesting depth of a context: enough for every realistic context, and safe for
 * recursion.
 */
const MAX_CONTEXT_DEPTH = 32

/** The longest list of complaints that is passed on, in characters. */
const MAX_DESCRIPTION_LENGTH = 512

/**
 * Validates the `context` of a request and answers the one to keep: JSON, frozen by the caller.
 *
 * @throws errors.InvalidRequest with the complaints, by field
 * @throws Error where the schema itself fails
 */
export async function validContext(
  schema: ContextValidator | ContextStandardSchema | undefined,
  context: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (!schema) return context
  let result: ContextResult | undefined
  try {
    result = await ('~standard' in schema ? schema['~standard'].validate(context) : schema(context))
  } catch (cause) {
    throw new Error('features.impersonation.contextSchema failed', { cause })
  }
  if (result === undefined) return context
  if (result.issues) throw new errors.InvalidRequest(describe(result.issues))
  return jsonObject(result.value)
}

/** A copy made through JSON: the store would change values that JSON does not have. */
function jsonObject(value: unknown): Record<string, unknown> {
  const json: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
  if (!isPlainObject(json) || isDeeperThan(json, MAX_CONTEXT_DEPTH)) {
    throw new TypeError(
      `features.impersonation.contextSchema must keep context a JSON object of at most ${MAX_CONTEXT_DEPTH} levels`,
    )
  }
  return json
}

function describe(issues: readonly ContextIssue[]): string {
  const text = issues
    .map(({ message, path = [] }) => {
      const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
      return `${['context', ...keys].join('.')}: ${message}`
    })
    .join('; ')
  return printable(text, MAX_DESCRIPTION_LENGTH) || 'context is not valid'
}

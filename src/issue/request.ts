import { errors, type Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import {
  absoluteUri,
  boundedText,
  InvalidInput,
  readInput,
  rule,
  seconds,
  valid,
} from '../options/rules.ts'
import type {
  BindingMember,
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
  MayAct,
  SubjectTokenContext,
} from '../public/hooks.ts'
import {
  copyAsJson,
  deepFreeze,
  isDeeperThan,
  isPlainObject,
  knownMembers,
  present,
} from '../shared/json.ts'
import { hasSeenEnds, printable } from '../shared/text.ts'

/** RFC 6749 §3.3, within the size of a form field. */
const SCOPE_PATTERN = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/
const MAX_SCOPE_LENGTH = 1024
const MAX_RESOURCES = 16
const MAX_RESOURCE_LENGTH = 2048
/**
 * The maximum nesting depth of a context: enough for every realistic context, and safe for
 * recursion.
 */
const MAX_CONTEXT_DEPTH = 32

const jsonObject = rule<Record<string, unknown>>((value, path) => {
  if (!isPlainObject(value)) throw new InvalidInput(`${path} must be a JSON object`)
  if (!isDeeperThan(value, MAX_CONTEXT_DEPTH)) return value
  throw new InvalidInput(`${path} must not be nested deeper than ${MAX_CONTEXT_DEPTH} levels`)
})

// RFC 8707 §2: "an absolute URI [...] MUST NOT include a fragment component".
const resource = absoluteUri(MAX_RESOURCE_LENGTH).required('')

const resources = rule<readonly string[]>((value, path) => {
  const given: unknown[] = Array.isArray(value) ? value : [value]
  if (given.length < 1 || given.length > MAX_RESOURCES) {
    throw new InvalidInput(`${path} must be one URI, or 1 to ${MAX_RESOURCES}`)
  }
  return Object.freeze(given.map((each) => resource(each ?? null, path)))
})

const scope = valid<string>(
  (value) =>
    typeof value === 'string' && value.length <= MAX_SCOPE_LENGTH && SCOPE_PATTERN.test(value),
  'scope tokens, separated by single spaces',
)

/** @param idLength - the largest length of the id of an account or of a client, in characters */
function rulesFor(idLength: number) {
  const text = boundedText(idLength).required('')
  const id = rule((value, path) => {
    const given = text(value, path)
    if (hasSeenEnds(given)) return given
    throw new InvalidInput(`${path} must not begin or end with a blank or an invisible character`)
  })
  const mayAct = rule<MayAct>((value, path) => {
    const refuse = () =>
      new InvalidInput(`${path} must be a JSON object with sub, clientId or both, and nothing else`)
    const { sub, clientId } = knownMembers(value, ['sub', 'clientId'], refuse)
    if (sub === undefined && clientId === undefined) throw refuse()
    const members = { sub: id(sub, `${path}.sub`), clientId: id(clientId, `${path}.clientId`) }
    return Object.freeze(present(members))
  })
  return {
    userId: id.required(''),
    context: jsonObject.or({}),
    mayAct,
    resource: resources,
    scope,
    /** In seconds; the full lifetime of subject tokens if it is left out. */
    expiresIn: seconds,
  }
}

/** The members that every issue request must have. */
export function requiredBinding(provider: Provider): readonly BindingMember[] {
  return instance(provider).options.managementApi.requireBinding
}

/**
 * Reads the JSON body once.
 *
 * @throws {@link InvalidInput} naming the member
 */
export function parseIssueRequest(
  json: unknown,
  { limits, managementApi }: Pick<ResolvedOptions, 'limits' | 'managementApi'>,
) {
  const request = readInput(rulesFor(limits.userIdLength), json)
  const missing = managementApi.requireBinding.find((member) => request[member] === undefined)
  if (missing !== undefined) throw new InvalidInput(`${missing} is required`)
  return Object.freeze(request)
}

/** Returns the context as the deployment's schema returned it, frozen, and as it is stored. */
export async function readContext(
  given: Record<string, unknown>,
  { contextSchema, limits: { contextBytes } }: ResolvedOptions,
): Promise<{ readonly context: SubjectTokenContext; readonly json: string }> {
  const context = deepFreeze(contextSchema ? await validContext(contextSchema, given) : given)
  const json = JSON.stringify(context)
  if (Buffer.byteLength(json) <= contextBytes) return { context, json }
  throw new errors.InvalidRequest(`context must not exceed ${contextBytes} bytes of JSON`)
}

/** The longest list of complaints that is passed on, in characters. */
const MAX_DESCRIPTION_LENGTH = 512

/**
 * Validates the `context` of a request and returns the context to keep.
 *
 * @throws errors.InvalidRequest with the complaints, by field
 * @throws Error if the schema itself fails
 */
async function validContext(
  schema: ContextValidator | ContextStandardSchema,
  context: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  let result: ContextResult | undefined
  try {
    result = await ('~standard' in schema ? schema['~standard'].validate(context) : schema(context))
  } catch (cause) {
    throw new Error('features.impersonation.contextSchema failed', { cause })
  }
  if (result === undefined) return context
  if (result.issues) throw new errors.InvalidRequest(describe(result.issues))
  // The store would change values that JSON does not have.
  const json = copyAsJson(result.value)
  if (isPlainObject(json) && !isDeeperThan(json, MAX_CONTEXT_DEPTH)) return json
  throw new TypeError(
    `features.impersonation.contextSchema must keep context a JSON object of at most ${MAX_CONTEXT_DEPTH} levels`,
  )
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

import { errors } from 'oidc-provider'
import type {
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
} from '../public/hooks.ts'
import { isDeeperThan, isPlainObject } from '../shared/json.ts'
import { printable } from '../shared/text.ts'

/**
 * The maximum nesting depth of a context: enough for every realistic context, and safe for
 * recursion.
 */
export const MAX_CONTEXT_DEPTH = 32

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

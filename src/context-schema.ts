import { errors } from 'oidc-provider'
import { isPlainObject } from './options-validation.ts'
import type {
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
} from './policy-hook.ts'

/** How deep a context may be nested: far more than any ticket needs, and nothing recursion minds. */
export const MAX_CONTEXT_DEPTH = 32

/** The longest list of complaints that is passed on, in characters. */
const MAX_DESCRIPTION = 512

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

/** As JSON will say it. What else a schema made of it would be something else after the store. */
function jsonObject(value: unknown): Record<string, unknown> {
  const json: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
  if (!isPlainObject(json) || isDeeperThan(json, MAX_CONTEXT_DEPTH)) {
    throw new TypeError(
      `features.impersonation.contextSchema must keep context a JSON object of at most ${MAX_CONTEXT_DEPTH} levels`,
    )
  }
  return json
}

/** Whether JSON is nested deeper than so many levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}

function describe(issues: readonly ContextIssue[]): string {
  const text = issues
    .map(({ message, path = [] }) => {
      const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
      return `${['context', ...keys].join('.')}: ${message}`
    })
    .join('; ')
  return printable(text, MAX_DESCRIPTION) || 'context is not valid'
}

/** Text as it may stand in an error: short, and in the characters of RFC 6749 §5.2. */
export function printable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}

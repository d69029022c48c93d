import { errors } from 'oidc-provider'
import { isPlainObject } from './options-validation.ts'
import type {
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
} from './policy-hook.ts'

/** The longest list of complaints that is passed on, in characters. */
const MAX_DESCRIPTION = 512

/**
 * Validates the `context` of a request and answers the one to keep.
 *
 * @throws errors.InvalidRequest with the complaints, by field
 * @throws Error where the schema itself fails
 */
export async function validContext(
  schema: ContextValidator | ContextStandardSchema | undefined,
  context: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (!schema) return context
  const validate = '~standard' in schema ? schema['~standard'].validate : schema
  let result: ContextResult | undefined
  try {
    result = await validate(context)
  } catch (cause) {
    throw new Error('features.impersonation.contextSchema failed', { cause })
  }
  if (result === undefined) return context
  if (result.issues) throw new errors.InvalidRequest(describe(result.issues))
  if (!isPlainObject(result.value)) {
    throw new TypeError('features.impersonation.contextSchema must keep context an object')
  }
  return result.value
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

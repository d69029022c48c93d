import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { DescribedUse, UseInWords } from '../options.ts'

/** So many characters of the words of a deployment are shown. */
const MAX_TEXT_LENGTH = 200

/** What the deployment says of a request: a text, nothing on purpose, or nothing that can be shown. */
export type UseWords =
  | { readonly kind: 'shown'; readonly text: string }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'none' }

/** What the deployment is asked about. */
export function describedUse(use: NonNullable<AuditEntry['use']>): DescribedUse {
  const { method, path, status, refused, audience } = use
  return { method, path, status, refused: refused !== undefined, audience }
}

/** A function of the deployment that fails, or answers no text, hides nothing. */
export function wordsForUse(use: DescribedUse, describe: UseInWords, language: string): UseWords {
  try {
    const text: unknown = describe(use, language)
    if (text === undefined) return { kind: 'hidden' }
    if (typeof text === 'string' && text.trim() !== '') {
      return { kind: 'shown', text: [...text.trim()].slice(0, MAX_TEXT_LENGTH).join('') }
    }
    // One that waits is no text. Where it rejects, that must not end the process.
    if (text instanceof Promise) text.catch(() => {})
  } catch {
    // The request is shown as it was, or counted.
  }
  return { kind: 'none' }
}

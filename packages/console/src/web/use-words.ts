import type { RowUse } from 'oidc-provider-impersonation-verify/format'

/** A request that an operator made, as the deployment is asked to describe it. */
export interface DescribedUse {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly status: number | undefined
  /** `true` if the API refused it. */
  readonly refused: boolean
  /** The audience of the API. */
  readonly audience: string
}

/**
 * Says in the words of the application what a request did: `Looked at your orders`. At most 200
 * characters are shown. On the account page, `undefined` hides it, and where it throws, or answers no
 * text, the request is counted. In the timeline of the audit, it stands before method and path, which
 * are shown where there is no text.
 *
 * @param language of the reader, a BCP 47 tag: one of those that the console has words in
 */
export type UseInWords = (use: DescribedUse, language: string) => string | undefined

/** The largest number of characters that are shown of a deployment's words. */
const MAX_WORDS_LENGTH = 200

/**
 * Returns the deployment's words for a request. They are empty if it hides the request, and `undefined` if there
 * is nothing to show: a function of the deployment that fails, or answers no text, hides nothing.
 */
export function wordsForUse(
  { method, path, status, audience }: Omit<RowUse, 'at'>,
  refused: boolean,
  describe: UseInWords,
  language: string,
): string | undefined {
  try {
    const text: unknown = describe({ method, path, status, refused, audience }, language)
    if (text === undefined) return ''
    if (typeof text === 'string' && text.trim() !== '') {
      return [...text.trim()].slice(0, MAX_WORDS_LENGTH).join('')
    }
    // A promise is no text. If it rejects, that must not end the process.
    if (text instanceof Promise) text.catch(() => {})
  } catch {
    // The request is shown as it was, or counted.
  }
  return undefined
}

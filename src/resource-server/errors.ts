/** A request that is refused, as the caller is told: RFC 6750 §3. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly status: 401 | 403
  /** `undefined` where the request shows no credentials at all: RFC 6750 §3.1. */
  readonly error: string | undefined
  /** The scope that would have been needed. */
  readonly scope: string | undefined

  constructor(
    status: 401 | 403,
    { error, description, scope, cause }: RefusalDetails & { cause?: unknown },
  ) {
    super(description, { cause })
    this.status = status
    this.error = error
    this.scope = scope
  }

  /** The value of `WWW-Authenticate`. */
  challenge(realm: string): string {
    const parameters = {
      realm,
      error: this.error,
      error_description: this.message,
      scope: this.scope,
    }
    const shown = this.error === undefined ? { realm } : parameters
    return `Bearer ${Object.entries(shown)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}="${quotable(String(value))}"`)
      .join(', ')}`
  }

  /** The body, as JSON. */
  toJSON(): { error: string; error_description: string } {
    return { error: this.error ?? 'invalid_token', error_description: this.message }
  }
}

interface RefusalDetails {
  readonly error?: string | undefined
  readonly description: string
  readonly scope?: string | undefined
}

/** What may stand between quotes: RFC 6750 §3. */
function quotable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}

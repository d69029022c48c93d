/** Facts about a refusal that its reader does not see. */
interface Marks {
  refuser?: Refuser
  offer?: Offer
}

let marksOf: (refused: RequestRefused) => Marks

/** A refused request, as the caller sees it. RFC 6750 §3, RFC 9449 §7.1. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly status: 401 | 403
  /** `undefined` if the request has no credentials. RFC 6750 §3.1. */
  readonly error: string | undefined
  /** The missing scope. */
  readonly scope: string | undefined
  readonly #marks: Marks = {}

  static {
    marksOf = (refused) => refused.#marks
  }

  constructor(
    status: 401 | 403,
    { error, description, scope, cause }: RefusalDetails & { cause?: unknown },
  ) {
    super(description, { cause })
    this.status = status
    this.error = error
    this.scope = scope
  }

  /** The value of `WWW-Authenticate`: a challenge, or two if the guard takes proofs of keys. */
  challenge(realm: string): string {
    const details =
      this.error === undefined
        ? {}
        : { error: this.error, error_description: this.message, scope: this.scope }
    const { algs, scheme, resourceMetadata: resource_metadata } = this.#marks.offer ?? {}
    // RFC 9449 §7.2: when the mechanism is known, "the corresponding challenge SHOULD be used to
    // deliver error information".
    if (scheme === 'DPoP' && algs !== undefined) {
      return formatChallenge('DPoP', { realm, ...details, algs, resource_metadata })
    }
    const bearer = formatChallenge('Bearer', { realm, ...details, resource_metadata })
    // Another scheme would not help with a 403.
    if (algs === undefined || this.status === 403) return bearer
    return `${bearer}, ${formatChallenge('DPoP', { realm, algs, resource_metadata })}`
  }

  /** The body, as JSON. */
  toJSON(): { error: string; error_description: string } {
    return { error: this.error ?? 'invalid_token', error_description: this.message }
  }
}

/** A 401 for an access token that is not accepted. */
export function invalidToken(description: string, cause?: unknown): RequestRefused {
  return new RequestRefused(401, { error: 'invalid_token', description, cause })
}

interface RefusalDetails {
  readonly error?: string | undefined
  readonly description: string
  readonly scope?: string | undefined
}

/** The mechanisms that the guard takes. */
interface Offer {
  /** The algorithms of proofs, with a space between them; `undefined` if it takes no proofs. */
  readonly algs: string | undefined
  /** The scheme that the request used. */
  readonly scheme: 'Bearer' | 'DPoP' | undefined
  /** RFC 9728 §5.1: the URL of its metadata. */
  readonly resourceMetadata: string | undefined
}

/** The requirement that refused, also inside a requirement of the deployment's own. */
type Refuser = 'impersonation' | 'person' | 'replay' | 'scope'

/** Marks a refusal with its source. */
export function refusedBy(refuser: Refuser, refused: RequestRefused): RequestRefused {
  marksOf(refused).refuser = refuser
  return refused
}

/** Returns the source of a refusal; `undefined` if no requirement of this package refused. */
export function refuserOf(refused: RequestRefused): Refuser | undefined {
  return marksOf(refused).refuser
}

/** Adds the mechanisms that the guard takes to the challenge of a refusal. */
export function setOffer(refused: RequestRefused, offer: Offer): void {
  marksOf(refused).offer = offer
}

/** Characters that a quoted string of a challenge must not have: RFC 6749 §5.2. */
const NOT_PRINTABLE = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g

/**
 * Formats a challenge of `WWW-Authenticate`, without `undefined` members. RFC 6750 §3, RFC 9449
 * §7.1.
 */
function formatChallenge(
  scheme: 'Bearer' | 'DPoP',
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === undefined ? [] : `${name}="${value.replaceAll(NOT_PRINTABLE, '?')}"`,
    )
    .join(', ')}`
}

import { Problem } from '../http/problem.ts'

/** How long the provider may take to answer, in milliseconds. */
export const TIMEOUT_MS = 5000

export interface Answer {
  readonly status: number
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined
  /** The JSON object of the answer; empty if the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * Sends JSON to the provider.
 *
 * @throws Problem 503 when the provider cannot be reached in time
 */
export async function postJson(url: URL, token: string, body: object): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      // A credential goes to its own URL and to no other.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return { status: response.status, retryAfter, json: parse(await response.text()) }
  } catch (cause) {
    throw unreachable(cause)
  }
}

export function unreachable(cause: unknown): Problem {
  return new Problem(503, 'temporarily_unavailable', 'the provider cannot be reached', {
    cause,
    retryAfter: '5',
  })
}

/** The provider answered what this package does not expect: the log says what. */
export function unexpected(what: string, cause?: unknown): Problem {
  return new Problem(502, 'bad_gateway', 'the provider answered unexpectedly', {
    cause: new Error(what, { cause }),
  })
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

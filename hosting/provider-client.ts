import { Problem } from './http/problem.ts'

/** How a server asks the provider about tokens, and for its own. */
export interface IntrospectionOptions {
  /** The URL at which the provider is reached from here. */
  readonly providerUrl: string
  /** A confidential client that may introspect the tokens of all clients. */
  readonly clientId: string
  readonly clientSecret: string
}

/** How long the provider may take to answer, in milliseconds. */
const TIMEOUT = 5000

export interface Answer {
  readonly status: number
  readonly text: string
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined
  /** The JSON object of the answer; empty if the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * Sends a POST to the provider.
 *
 * @throws Problem 503 when the provider cannot be reached in time.
 */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: string | URLSearchParams,
  timeout = TIMEOUT,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body,
      // Do not follow redirects: a credential goes only to its own URL.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const text = await response.text()
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return { status: response.status, text, retryAfter, json: parse(text) }
  } catch (cause) {
    throw new Problem(503, 'temporarily_unavailable', 'the provider cannot be reached', { cause })
  }
}

/** Makes the problem for an unexpected answer of the provider. */
export function unexpected(what: string, { status, json }: Answer): Problem {
  const error = typeof json.error === 'string' ? ` ${json.error}` : ''
  return new Problem(502, 'bad_gateway', 'the provider answered unexpectedly', {
    cause: new Error(`${what}: ${status}${error}`),
  })
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. */
export function basic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((value) =>
    new URLSearchParams({ value }).toString().slice('value='.length),
  )
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

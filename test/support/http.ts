import { expect } from 'chai'
import { differences } from './openapi.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

/** A form; `undefined` leaves a field out, an array repeats it. */
export type Form = Record<string, string | string[] | undefined>

/** The answer for every subject token that is not redeemable. */
export const REFUSED = { error: 'invalid_request', error_description: 'subject token is invalid' }
/** The answer for every actor token that names no operator. */
export const ACTOR_REFUSED = {
  error: 'invalid_request',
  error_description: 'actor token is invalid',
}

export function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
}

export function urlencoded(form: Form): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) body.append(name, one)
    }
  }
  return body
}

let isDescribed = true

/** Asks a deployment whose own code answers in a way that docs/openapi.yaml cannot describe. */
export async function askUndescribed<T>(ask: () => Promise<T>): Promise<T> {
  isDescribed = false
  try {
    return await ask()
  } finally {
    isDescribed = true
  }
}

/**
 * Reads an answer, and compares it with docs/openapi.yaml if it comes from a path of the document.
 *
 * @param grantType of a request to the token endpoint
 */
export async function answerOf(response: Response, grantType?: unknown): Promise<Answer> {
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  }
  const wrong = isDescribed ? differences(response.url, answer, grantType) : []
  if (wrong.length > 0) throw new Error(`docs/openapi.yaml differs: ${wrong.join('; ')}`)
  return answer
}

/**
 * Expects this answer, and resolves with it.
 *
 * @param told the `error` of the body, its description, or the whole body
 */
export async function expectAnswer<A extends Pick<Answer, 'status'> & { body?: Answer['body'] }>(
  asked: A | Promise<A>,
  status: number,
  told?: string | object,
  what?: string,
): Promise<A> {
  const answer = await asked
  const { body } = answer
  expect(answer.status, `${what ?? ''} ${JSON.stringify(body)}`).to.equal(status)
  if (typeof told === 'string') {
    expect([body.error, body.error_description], what).to.include(told)
  } else if (told) expect(body, what).to.deep.equal(told)
  return answer
}

export function expectUncached(headers: Headers): void {
  expect(headers.get('cache-control')).to.equal('no-store')
}

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

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  }
}

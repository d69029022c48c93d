import { ApiProblem, type AskOptions, Unreachable } from './session.ts'

/** How long the server may take to answer, in milliseconds. */
const TIMEOUT_MS = 15_000

/**
 * Sends a request with an access token and without cookies.
 *
 * @param url of this origin
 * @throws {ApiProblem | Unreachable}
 */
export async function request(
  url: string,
  token: string,
  { method = 'GET', body, signal }: AskOptions,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      ...(signal ? { signal } : {}),
    })
  } catch (cause) {
    throw new Unreachable(cause)
  }
  if (!response.ok) throw await parseProblem(response)
  return response
}

/** As {@link request}, within 15 s; resolves with the JSON of the answer, `undefined` without a body. */
export async function requestJson(url: string, token: string, how: AskOptions): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = how.signal ? AbortSignal.any([timeout, how.signal]) : timeout
  const response = await request(url, token, { ...how, signal })
  if (response.status === 204) return undefined
  try {
    return await response.json()
  } catch (cause) {
    if (cause instanceof SyntaxError) throw unreadableAnswer(response.status)
    throw new Unreachable(cause)
  }
}

/** The answer may come from another server: a proxy, or the sign-in page of a hotel network. */
function unreadableAnswer(status: number): ApiProblem {
  return new ApiProblem(status, 'unexpected', 'the answer could not be read')
}

async function parseProblem(response: Response): Promise<ApiProblem> {
  try {
    const body = await response.json()
    const { error, error_description: description } = body
    return new ApiProblem(response.status, String(error), String(description ?? error), body)
  } catch {
    return unreadableAnswer(response.status)
  }
}

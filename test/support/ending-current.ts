import { expect } from 'chai'
import { type Answer, answerOf } from './http.ts'
import type { Managed } from './managing.ts'

/** Where a deployment has the end by the token itself. */
export const PATH = '/oidc/impersonations/current/end'
/** Where it says how things stand. */
export const CURRENT = '/oidc/impersonations/current'

/** An impersonated access token, and the id of its impersonation. */
export async function impersonate(
  deployment: Managed,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<{ id: string; token: string }> {
  const { id, subjectToken } = await deployment.start()
  const { status, body } = await deployment.exchange(
    { subject_token: subjectToken, ...form },
    headers,
  )
  expect(status, JSON.stringify(body)).to.equal(200)
  return { id, token: body.access_token }
}

export async function end(
  base: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const init =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return answerOf(await fetch(`${base}${PATH}`, { method: 'POST', ...init }))
}

export async function current(base: string, headers: Record<string, string>): Promise<Answer> {
  return answerOf(await fetch(`${base}${CURRENT}`, { headers }))
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

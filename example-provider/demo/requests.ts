import { isDeepStrictEqual } from 'node:util'
import type { JWTPayload } from 'jose'
import { TIMEOUT_MS } from './browser.ts'
import { check, masked, step, terminal } from './report.ts'

export const OPERATOR_ID = 'olivia'
export const CUSTOMER_ID = 'alice'
/** Another customer. */
export const OTHER_CUSTOMER_ID = 'bob'
/** A person who is protected from impersonation. */
export const PROTECTED_ID = 'grace'
/** The context of a direct request. The backend sends the same members. */
export const DEMO_CONTEXT = {
  reason: 'Order lost in the post',
  ticketId: 'SUP-123',
  supportEngineerId: OPERATOR_ID,
}
/** In seconds. */
const MAX_LIFE_S = 3600

/** The answer of a JSON endpoint; `{}` if the body is not a JSON object. */
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly cacheable: boolean
}

/** Asks the support backend for a subject token. */
export function ask(base: string, operatorToken: string): Promise<Answer> {
  const { reason, ticketId } = DEMO_CONTEXT
  return send(`${base}/support/impersonations`, operatorToken, {
    userId: CUSTOMER_ID,
    reason,
    ticketId,
  })
}

/** The binding that a strict provider requires for every token. */
export function boundTo(base: string, operator: string): object {
  return { mayAct: { sub: operator }, resource: `${base}/orders`, scope: 'orders:read' }
}

/** Asks the management API directly. Without a binding, the token has no limits of use. */
export function askDirectly(
  base: string,
  machineToken: string,
  userId: string,
  context: object,
  binding: object = {},
): Promise<Answer> {
  return send(`${base}/api/subject-tokens`, machineToken, { userId, context, ...binding })
}

export async function machineToken(base: string, secret: string, scope: string): Promise<string> {
  const resource = `${base}/api`
  const { status, body } = await request(`${base}/oidc/token`, {
    method: 'POST',
    // RFC 6749 §2.3.1: the secret is encoded first.
    headers: { authorization: `Basic ${btoa(`support-backend:${encodeURIComponent(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
  })
  const { access_token: token } = body
  check(
    status === 200 && typeof token === 'string',
    `the answer is ${status}: is SUPPORT_BACKEND_SECRET right?`,
  )
  return token
}

export async function refused(
  asked: Promise<Answer>,
  expected: number,
  code: string,
): Promise<void> {
  const { status, body } = await asked
  check(
    status === expected && body.error === code,
    `the answer is ${status} ${body.error ?? ''}, not ${expected} ${code}`,
  )
}

export function checked(claims: JWTPayload, base: string, actor: string | undefined): JWTPayload {
  check(claims.sub === CUSTOMER_ID, `sub is not ${CUSTOMER_ID}`)
  check(claims.aud === `${base}/orders`, 'aud is not the orders API')
  check(claims.client_id === 'support-tool', 'client_id is not support-tool')
  check(claims.scope === 'orders:read', 'scope is not what was asked for')
  check((claims.exp ?? Infinity) - (claims.iat ?? 0) <= MAX_LIFE_S, 'it lives too long')
  check(
    isDeepStrictEqual(claims.act, actor === undefined ? undefined : { sub: actor }),
    actor === undefined ? 'act is there, without an actor' : `act is not ${actor}`,
  )
  check(
    isDeepStrictEqual(claims.impersonation_context, {
      ticket_id: DEMO_CONTEXT.ticketId,
      reason: DEMO_CONTEXT.reason,
      support_engineer: OPERATOR_ID,
    }),
    'impersonation_context is not what the backend sent',
  )
  return claims
}

export async function readOrders(
  base: string,
  accessToken: string,
  actor: string | undefined,
): Promise<object> {
  const { status, body } = await orders(base, accessToken)
  check(status === 200, `the answer is ${status}, not 200`)
  check(body.userId === CUSTOMER_ID, `the orders are not those of ${CUSTOMER_ID}`)
  check(body.actor === actor, 'the API is wrong about who acts')
  check(Array.isArray(body.orders) && body.orders.length > 0, 'there are no orders')
  return body
}

/** Runs the step that asks for a subject token. */
export async function issue(title: string, run: () => Promise<Answer>): Promise<string> {
  const subjectToken = await step(title, async () => {
    const { status, body, cacheable } = await run()
    const error = typeof body.error === 'string' ? ` ${body.error}` : ''
    check(status === 201, `the answer is ${status}${error}, not 201`)
    check(
      typeof body.subjectToken === 'string' &&
        typeof body.expiresIn === 'number' &&
        Object.keys(body).length === 2,
      'the answer is not a subject token and its lifetime',
    )
    check(!cacheable, 'the answer may be kept by caches')
    return body.subjectToken
  })
  terminal.log(`    subject token: ${masked(subjectToken)}`)
  return subjectToken
}

/** Ends all impersonations of an operator, by the management API. */
export async function endAll(base: string, machineToken: string, actor: string): Promise<void> {
  const { status, body } = await send(`${base}/api/impersonations/end`, machineToken, { actor })
  check(
    status === 200 && Number(body.ended) > 0,
    `the answer is ${status}, with ${body.ended} ended`,
  )
}

/** The status of the orders API for a token. */
export async function ordersStatus(base: string, accessToken: string): Promise<number> {
  const { status } = await orders(base, accessToken)
  return status
}

function orders(base: string, accessToken: string): Promise<Answer> {
  return request(`${base}/orders`, { headers: { authorization: `Bearer ${accessToken}` } })
}

export function send(url: string, token: string, body: object): Promise<Answer> {
  return request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function request(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const json: unknown = await response.json().catch(() => undefined)
  return {
    status: response.status,
    body: typeof json === 'object' && json !== null ? { ...json } : {},
    cacheable: response.headers.get('cache-control') !== 'no-store',
  }
}

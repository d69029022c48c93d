import { isDeepStrictEqual } from 'node:util'
import type { JWTPayload } from 'jose'
import { Application } from './application.ts'
import { TIMEOUT } from './browser.ts'
import { check, masked, show, step } from './report.ts'

const OPERATOR = 'olivia'
const CUSTOMER = 'alice'
const WHY = { reason: 'Order lost in the post', ticketId: 'SUP-123' }
/** In seconds. */
const LONGEST_LIFE = 3600

/**
 * The whole way against the example provider at `base`.
 *
 * @throws DemoFailure at the first step that is not as it should be.
 */
export async function walk(base: string, password: string): Promise<void> {
  const application = await step(`Discover the provider at ${base}/oidc`, () =>
    Application.discover(base),
  )
  const operatorToken = await step(`Sign in as ${OPERATOR}, who works in support`, () =>
    application.signIn(OPERATOR, password),
  )
  console.log(`    access token of ${OPERATOR}: ${masked(operatorToken)}`)

  const first = await issue(base, operatorToken)
  const acting = await step(`Exchange it, with ${OPERATOR} as actor`, () =>
    application.exchange(first, operatorToken),
  )
  const claims = await step('Look into the access token', async () =>
    checked(await application.claims(acting), base, OPERATOR),
  )
  show(claims)
  const orders = await step(`See the orders of ${CUSTOMER}; the API knows who acts`, () =>
    readOrders(base, acting, OPERATOR),
  )
  show(orders)
  await step('Exchange the same subject token again: refused', () =>
    application.expectRefusal(first, operatorToken),
  )

  const second = await issue(base, operatorToken)
  const nameless = await step('Exchange another one without an actor token', () =>
    application.exchange(second, undefined),
  )
  const withoutAct = await step('Look into the access token: it has no act', async () =>
    checked(await application.claims(nameless), base, undefined),
  )
  show(withoutAct)
  await step(`See the orders of ${CUSTOMER}; the API knows of no actor`, () =>
    readOrders(base, nameless, undefined),
  )
}

async function issue(base: string, operatorToken: string): Promise<string> {
  const subjectToken = await step(`Ask the support backend to act as ${CUSTOMER}`, async () => {
    const response = await fetch(`${base}/support/impersonations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: CUSTOMER, ...WHY }),
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const body = await jsonOf(response, 201)
    const { subjectToken, expiresIn } = body
    check(
      typeof subjectToken === 'string' &&
        typeof expiresIn === 'number' &&
        Object.keys(body).length === 2,
      'the answer is not a subject token and its lifetime',
    )
    check(response.headers.get('cache-control') === 'no-store', 'the answer may be kept by caches')
    return subjectToken
  })
  console.log(`    subject token: ${masked(subjectToken)}`)
  return subjectToken
}

function checked(claims: JWTPayload, base: string, actor: string | undefined): JWTPayload {
  check(claims.sub === CUSTOMER, `sub is not ${CUSTOMER}`)
  check(claims.aud === `${base}/orders`, 'aud is not the orders API')
  check(claims.client_id === 'support-console', 'client_id is not support-console')
  check(claims.scope === 'orders:read', 'scope is not what was asked for')
  check((claims.exp ?? Infinity) - (claims.iat ?? 0) <= LONGEST_LIFE, 'it lives too long')
  check(
    isDeepStrictEqual(claims.act, actor === undefined ? undefined : { sub: actor }),
    actor === undefined ? 'act is there, without an actor' : `act is not ${actor}`,
  )
  check(
    isDeepStrictEqual(claims.impersonation_context, {
      ticket_id: WHY.ticketId,
      reason: WHY.reason,
      support_engineer: OPERATOR,
    }),
    'impersonation_context is not what the backend said',
  )
  return claims
}

async function readOrders(
  base: string,
  accessToken: string,
  actor: string | undefined,
): Promise<object> {
  const response = await fetch(`${base}/orders`, {
    headers: { authorization: `Bearer ${accessToken}` },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  const body = await jsonOf(response, 200)
  check(body.subject === CUSTOMER, `the orders are not those of ${CUSTOMER}`)
  check(body.actor === actor, 'the API is wrong about who acts')
  check(Array.isArray(body.orders) && body.orders.length > 0, 'there are no orders')
  return body
}

async function jsonOf(response: Response, status: number): Promise<Record<string, unknown>> {
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const json = typeof body === 'object' && body !== null ? { ...body } : {}
  const error = 'error' in json && typeof json.error === 'string' ? ` ${json.error}` : ''
  check(response.status === status, `the answer is ${response.status}${error}, not ${status}`)
  return json
}

// Over 250 lines: one generator of answers, in the order of the document.
import type { Answer, Deployment } from '../support/deployment.ts'
import { basic } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { EVERYTHING, type Managed, managing, RESOURCE } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { NONCES, WRONG_PROOFS } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

interface Operation {
  readonly operation: string
  readonly method: 'GET' | 'POST'
  /** Below `/api/impersonations`. */
  readonly path: (id: string) => string
  readonly body?: object
  /** What fails for a 500. */
  readonly fault: string
}

const LIST: Operation = {
  operation: 'listImpersonations',
  method: 'GET',
  path: () => '',
  fault: 'SubjectToken.list',
}
const SHOW: Operation = {
  operation: 'showImpersonation',
  method: 'GET',
  path: (id) => `/${id}`,
  fault: 'SubjectToken.find',
}
const END: Operation = {
  operation: 'endImpersonation',
  method: 'POST',
  path: (id) => `/${id}/end`,
  body: {},
  fault: 'SubjectToken.find',
}
const END_MANY: Operation = {
  operation: 'endImpersonations',
  method: 'POST',
  path: () => '/end',
  body: { userId: 'nobody' },
  fault: 'SubjectToken.list',
}
const OPERATIONS = [LIST, SHOW, END, END_MANY]
const UNKNOWN = 'A'.repeat(43)

interface Request {
  readonly path?: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
type Ask = (operation: Operation, request?: Request) => Promise<Answer>

/** Every answer of seeing and ending by the management API. */
export async function* impersonationAnswers(): AsyncGenerator<SeenAnswer> {
  yield* without()
  for (const dPoP of [NONCES, { enabled: true }]) yield* withProofs(dPoP)
}

async function* without(): AsyncGenerator<SeenAnswer> {
  const { adapter, faults } = faultyAdapter()
  const deployment = await managing({ configuration: { adapter } })
  const { id } = await deployment.start()
  const asker =
    (authorization?: string): Ask =>
    (operation, request = {}) =>
      send(deployment, operation, id, request, authorization ? { authorization } : {})
  const ask = asker(`Bearer ${deployment.token}`)
  yield* objects(deployment, ask)
  yield* common(ask, asker(`Bearer ${await deployment.m2mToken({ resource: RESOURCE })}`), faults)
  for (const operation of OPERATIONS) {
    for (const authorization of [undefined, 'Bearer unknown']) {
      const answer = await asker(authorization)(operation)
      yield { operation: operation.operation, what: `${authorization}`, answer }
    }
    const others = operation.method === 'GET' ? ['POST', 'PUT'] : ['GET', 'PATCH']
    for (const method of [...others, 'DELETE', 'OPTIONS']) {
      const answer = await ask(operation, { method })
      yield { operation: operation.operation, what: method, answer }
    }
  }
  await deployment.close()
}

/** Impersonations in every state, with all that can be known of one. */
async function* objects(deployment: Managed, ask: Ask): AsyncGenerator<SeenAnswer> {
  const { access_token: actor_token } = await signIn(deployment, 'olivia')
  const { id, subjectToken } = await deployment.start({
    context: { ticketId: 'SUP-123' },
    mayAct: { sub: 'olivia', clientId: 'console' },
    resource: [deployment.orders, 'urn:example:invoices'],
    scope: 'orders:read',
  })
  const show = async (what: string): Promise<SeenAnswer> => ({
    operation: 'showImpersonation',
    what,
    answer: await ask(SHOW, { path: `/${id}` }),
  })
  yield show('issued')
  await deployment.exchange({ subject_token: subjectToken, actor_token })
  yield show('active')
  const body = { by: { sub: 'alice' }, cause: 'user', reason: 'done' }
  for (const what of ['an end', 'an end again']) {
    const answer = await ask(END, { path: `/${id}/end`, body })
    yield { operation: 'endImpersonation', what, answer, request: body }
  }
  yield show('ended')
  const pages = ['?limit=1', '?userId=alice&actor=olivia&issuedTo=backend&state=ended&limit=100']
  for (const path of pages) {
    yield { operation: 'listImpersonations', what: path, answer: await ask(LIST, { path }) }
  }
  await deployment.start({ userId: 'bob' })
  const many = { userId: 'bob', issuedTo: 'backend', actor: 'olivia', ...body }
  for (const request of [many, { userId: 'bob' }, { actor: 'olivia' }, { issuedTo: 'unknown' }]) {
    const answer = await ask(END_MANY, { body: request })
    yield { operation: 'endImpersonations', what: 'an end of many', answer, request }
  }
}

/** What is answered with a proof as it is without. */
async function* common(
  ask: Ask,
  askWithoutScope: Ask,
  faults: Set<string>,
): AsyncGenerator<SeenAnswer> {
  for (const each of OPERATIONS) {
    const { operation, fault } = each
    yield { operation, what: 'a good request', answer: await ask(each) }
    yield { operation, what: 'without the scope', answer: await askWithoutScope(each) }
    faults.add(fault)
    yield { operation, what: 'trouble', answer: await ask(each) }
    faults.clear()
  }
  const queries = [
    'x=1',
    'limit=0',
    'limit=1&limit=2',
    'state=x',
    'actor=',
    'cursor=x',
    'userId=%00',
  ]
  for (const query of queries) {
    const answer = await ask(LIST, { path: `?${query}` })
    yield { operation: LIST.operation, what: query, answer }
  }
  for (const [each, path] of [
    [SHOW, `/${UNKNOWN}`],
    [END, `/${UNKNOWN}/end`],
  ] as const) {
    yield { operation: each.operation, what: 'unknown', answer: await ask(each, { path }) }
  }
  const bad: readonly object[] = [
    { reasn: 'x' },
    { by: 'olivia' },
    { by: { sub: '' } },
    { by: { sub: 'oli\nvia' } },
    { cause: 'replay' },
    { reason: '' },
  ]
  for (const more of bad) {
    for (const [each, request] of [
      [END, more],
      [END_MANY, { userId: 'nobody', ...more }],
    ] as const) {
      const answer = await ask(each, { body: request })
      yield { operation: each.operation, what: JSON.stringify(request), answer, request }
    }
  }
  const empty = await ask(END_MANY, { body: {} })
  yield { operation: END_MANY.operation, what: 'no filter', answer: empty, request: {} }
  for (const each of [END, END_MANY]) {
    const requests: readonly Request[] = [
      { body: '{"' },
      { body: '[]' },
      { body: { reason: 'x'.repeat(17_000) } },
      { headers: { 'content-type': 'text/plain' } },
      { headers: { 'content-encoding': 'gzip' } },
    ]
    for (const request of requests) {
      const answer = await ask(each, request)
      yield { operation: each.operation, what: 'a bad body', answer }
    }
  }
}

async function* withProofs(
  dPoP: { enabled: true; nonceSecret?: Buffer } | { enabled: boolean },
): AsyncGenerator<SeenAnswer> {
  let requireNonce = false
  const { adapter, faults } = faultyAdapter()
  const features = { dPoP: { ...dPoP, requireNonce: () => requireNonce } }
  const deployment = await managing({ configuration: { adapter, features } })
  const { id } = await deployment.start()
  const key = await dpopKey()
  const [token, scopeless] = [
    await boundToken(deployment, key, EVERYTHING),
    await boundToken(deployment, key, 'impersonate'),
  ]
  const asker =
    (value: string, claims: object | undefined = {}): Ask =>
    async (operation, request = {}) => {
      const { pathname } = new URL(urlOf(deployment, operation, id, request))
      const proof = { htm: operation.method, htu: deployment.base + pathname, ath: athOf(value) }
      return send(deployment, operation, id, request, {
        authorization: `DPoP ${value}`,
        ...(claims ? { dpop: await key.proof({ ...proof, ...claims }) } : {}),
      })
    }
  if (dPoP === NONCES) yield* common(asker(token), asker(scopeless), faults)
  for (const each of OPERATIONS) {
    const { operation } = each
    for (const claims of [...WRONG_PROOFS, { ath: 'another' }, { iat: 1 }, { nonce: 'another' }]) {
      const what = `a proof with ${JSON.stringify(claims)}`
      yield { operation, what, answer: await asker(token, claims)(each) }
    }
    const garbage = { headers: { dpop: 'no JWT' } }
    yield { operation, what: 'no JWT', answer: await asker(token)(each, garbage) }
    if (dPoP !== NONCES) continue
    requireNonce = true
    yield { operation, what: 'no nonce', answer: await asker(token)(each) }
    requireNonce = false
  }
  await deployment.close()
}

async function boundToken(deployment: Deployment, key: DPoPKey, scope: string): Promise<string> {
  const { body } = await deployment.post(
    '/oidc/token',
    { grant_type: 'client_credentials', resource: RESOURCE, scope },
    {
      ...basic('backend', 'backend-secret'),
      dpop: await key.proof({ htu: `${deployment.issuer}/token` }),
    },
  )
  return body.access_token
}

function urlOf({ base }: Deployment, operation: Operation, id: string, { path }: Request): string {
  return `${base}/api/impersonations${path ?? operation.path(id)}`
}

async function send(
  deployment: Deployment,
  operation: Operation,
  id: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Answer> {
  const { method = operation.method } = request
  const body = request.body ?? operation.body
  const init =
    method === 'GET' || body === undefined
      ? { headers: { ...headers, ...request.headers } }
      : {
          headers: { 'content-type': 'application/json', ...headers, ...request.headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }
  return answerOf(await fetch(urlOf(deployment, operation, id, request), { method, ...init }))
}

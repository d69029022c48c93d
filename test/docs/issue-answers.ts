import { type Configuration, errors } from 'oidc-provider'
import type { ManagementApiOptions } from '../../src/index.ts'
import type { Answer, Deployment, DeploymentOptions } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { during, EXHAUSTED } from './during.ts'
import { issueProofAnswers } from './issue-proofs.ts'
import type { SeenAnswer } from './openapi-document.ts'

function seen(what: string, answer: Answer, request?: unknown): SeenAnswer {
  return { operation: 'issueSubjectToken', what, answer, request }
}

/** Every answer of `POST /api/subject-tokens`, each by a request to a deployment that runs. */
export async function* issueAnswers(): AsyncGenerator<SeenAnswer> {
  yield* during({}, bodies)
  yield* during({}, tokens)
  yield* during({ impersonation: { managementApi: BOUND } }, async function* (deployment) {
    const token = await deployment.m2mToken({ resource: BOUND.resource })
    const answer = await deployment.issue({ userId: 'alice' }, { token })
    yield seen('a binding that is compulsory', answer)
  })
  yield* during({}, mediaTypes)
  yield* during({}, methods)
  yield* rules()
  yield* during({}, async function* ({ issue, provider }) {
    provider.impersonation.recordFirst(() => Promise.reject(new Error('disk full')))
    yield seen('not recorded', await issue({ userId: 'alice' }))
  })
  yield* during({}, async function* ({ issue, provider }) {
    provider.impersonation.recordFirst(async () => {}, { ready: () => false })
    yield seen('an audit that is not ready', await issue({ userId: 'alice' }))
  })
  yield* issueProofAnswers()
}

const BOUND: ManagementApiOptions = {
  resource: 'https://id.example.com/api',
  requireBinding: ['mayAct'],
  clients: ['backend'],
}

async function* bodies({ issue, orders }: Deployment): AsyncGenerator<SeenAnswer> {
  const userId = 'alice'
  const good: readonly object[] = [
    { userId },
    { userId, context: { ticketId: 'SUP-123' }, mayAct: { sub: 'olivia', clientId: 'console' } },
    { userId, resource: orders, scope: 'orders:read', expiresIn: 300 },
    { userId, resource: [orders, 'urn:example:invoices'] },
  ]
  for (const body of good) yield seen('a good body', await issue(body), body)
  const bad: readonly unknown[] = [
    ['alice'],
    { userId, contxt: {} },
    {},
    { userId: 7 },
    { userId: '' },
    { userId: 'al\nice' },
    { userId, context: 'x' },
    { userId, mayAct: 'olivia' },
    { userId, mayAct: {} },
    { userId, resource: [] },
    { userId, resource: '/orders' },
    { userId, scope: ' ' },
    { userId, expiresIn: 0 },
  ]
  for (const body of bad) yield seen('a bad body', await issue(body), body)
  const beyondSchemas: readonly unknown[] = [
    '{"userId":',
    { userId, context: JSON.parse(`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`) },
    { userId, context: { reason: 'x'.repeat(4096) } },
    { userId, expiresIn: 3600 },
  ]
  for (const body of beyondSchemas) yield seen('a bad body', await issue(body))
  yield seen('a user that is not there', await issue({ userId: 'unknown' }))
  const large = { userId, context: { reason: 'x'.repeat(20_000) } }
  yield seen('a body that is too large', await issue(large))
}

async function* tokens({ base, issue, m2mToken }: Deployment): AsyncGenerator<SeenAnswer> {
  const url = `${base}/api/subject-tokens`
  yield seen('no credentials', await answerOf(await fetch(url, { method: 'POST' })))
  yield seen('an unknown token', await issue({ userId: 'alice' }, { token: 'unknown' }))
  const token = await m2mToken({ scope: undefined })
  yield seen('a token without the scope', await issue({ userId: 'alice' }, { token }))
}

async function* mediaTypes({ issue }: Deployment): AsyncGenerator<SeenAnswer> {
  for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
    yield seen('a body of another kind', await issue({ userId: 'alice' }, { headers }))
  }
}

async function* methods({ base }: Deployment): AsyncGenerator<SeenAnswer> {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    yield seen(method, await answerOf(await fetch(`${base}/api/subject-tokens`, { method })))
  }
}

/** What the deployment's own code and storage have to say. */
async function* rules(): AsyncGenerator<SeenAnswer> {
  const { adapter, faults } = faultyAdapter()
  faults.add('SubjectToken.upsert')
  const told = { message: 'no such ticket', path: ['ticketId'] }
  const silent: Configuration['findAccount'] = () => {
    throw new errors.AccessDenied()
  }
  const spoken: Configuration['findAccount'] = () => {
    throw new errors.AccessDenied('this account is protected')
  }
  const options: readonly DeploymentOptions[] = [
    { impersonation: { contextSchema: () => ({ issues: [told] }) } },
    { impersonation: { contextSchema: () => ({ issues: [] }) } },
    { impersonation: { authorize: () => false } },
    { impersonation: { authorize: () => ({ needs: ['second_person'] }) } },
    { configuration: { findAccount: silent } },
    { configuration: { findAccount: spoken } },
    { impersonation: { limits: { issue: { consume: () => Promise.reject(EXHAUSTED) } } } },
    { configuration: { adapter } },
  ]
  for (const option of options) {
    yield* during(option, async function* ({ issue }) {
      yield seen('by the rules of the deployment', await issue({ userId: 'alice' }))
    })
  }
}

import { type Answer, basic, type Deployment } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { during, EXHAUSTED, NONCES, WRONG_PROOFS } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

function seen(what: string, answer: Answer): SeenAnswer {
  return { operation: 'issueSubjectToken', what, answer }
}

/** Every answer of the management API where DPoP is on. */
export async function* issueProofAnswers(): AsyncGenerator<SeenAnswer> {
  yield* during({ configuration: { features: { dPoP: NONCES } } }, proofs)
  yield* during({ configuration: { features: { dPoP: { enabled: true } } } }, proofsWithoutNonces)
  yield* nonces()
  yield* noncesBesideErrors()
}

async function* proofs(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { issueWith, key, token, htu } = await boundTo(deployment)
  const ath = athOf(token)
  const { base } = deployment
  const unauthenticated = await fetch(`${base}/api/subject-tokens`, { method: 'POST' })
  yield seen('no credentials, where DPoP is on', await answerOf(unauthenticated))
  yield seen('no proof', await issueWith(undefined))
  yield seen('no JWT', await issueWith('no JWT'))
  for (const claims of [...WRONG_PROOFS, { ath: 'another' }, { iat: 1 }, { nonce: 'another' }]) {
    const proof = await key.proof({ htu, ath, ...claims })
    yield seen(`a proof with ${JSON.stringify(claims)}`, await issueWith(proof))
  }
  const once = await key.proof({ htu, ath })
  yield seen('a proof', await issueWith(once))
  yield seen('the same proof', await issueWith(once))
}

async function* proofsWithoutNonces(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { issueWith, key, token, htu } = await boundTo(deployment)
  for (const claims of [{ iat: 1 }, { nonce: 'another' }]) {
    const proof = await key.proof({ htu, ath: athOf(token), ...claims })
    yield seen(`a proof with ${JSON.stringify(claims)}`, await issueWith(proof))
  }
}

async function* nonces(): AsyncGenerator<SeenAnswer> {
  let requireNonce = false
  const dPoP = { ...NONCES, requireNonce: () => requireNonce }
  yield* during({ configuration: { features: { dPoP } } }, async function* (deployment) {
    const { issueWith, key, token, htu } = await boundTo(deployment)
    requireNonce = true
    const proof = await key.proof({ htu, ath: athOf(token) })
    yield seen('a proof without the nonce', await issueWith(proof))
  })
}

/** A proof is read before all else, so its nonce comes with whatever is answered. */
async function* noncesBesideErrors(): AsyncGenerator<SeenAnswer> {
  let isExhausted = false
  const consume = () => (isExhausted ? Promise.reject(EXHAUSTED) : Promise.resolve())
  const { adapter, faults } = faultyAdapter()
  const options = {
    impersonation: { limits: { issue: { consume } } },
    configuration: { adapter, features: { dPoP: NONCES } },
  }
  yield* during(options, async function* (deployment) {
    const { issueWith, key, token, htu } = await boundTo(deployment)
    const proof = () => key.proof({ htu, ath: athOf(token) })
    const scopeless = await boundTo(deployment, { scope: undefined })
    const other = await scopeless.key.proof({ htu, ath: athOf(scopeless.token) })
    yield seen('a proof, and no scope', await scopeless.issueWith(other))
    yield seen('a proof, and a bad body', await issueWith(await proof(), {}))
    yield seen('a proof, and no such user', await issueWith(await proof(), { userId: 'unknown' }))
    const large = { userId: 'alice', context: { reason: 'x'.repeat(20_000) } }
    yield seen('a proof, and a large body', await issueWith(await proof(), large))
    const plain = { 'content-type': 'text/plain' }
    yield seen('a proof, and no JSON', await issueWith(await proof(), {}, plain))
    isExhausted = true
    yield seen('a proof, too often', await issueWith(await proof()))
    isExhausted = false
    faults.add('SubjectToken.upsert')
    yield seen('a proof, and trouble', await issueWith(await proof()))
  })
}

interface Bound {
  readonly key: DPoPKey
  readonly token: string
  readonly htu: string
  issueWith(proof?: string, body?: object, headers?: Record<string, string>): Promise<Answer>
}

/** A machine token that is bound to a key, and how to use it. */
async function boundTo(deployment: Deployment, form: { scope?: undefined } = {}): Promise<Bound> {
  const key = await dpopKey()
  const { body } = await deployment.post(
    '/oidc/token',
    {
      grant_type: 'client_credentials',
      resource: deployment.management,
      scope: 'impersonate',
      ...form,
    },
    {
      ...basic('backend', 'backend-secret'),
      dpop: await key.proof({ htu: `${deployment.issuer}/token` }),
    },
  )
  const token: string = body.access_token
  return {
    key,
    token,
    htu: `${deployment.base}/api/subject-tokens`,
    issueWith: (proof, request = { userId: 'alice' }, headers = {}) =>
      deployment.issue(request, {
        token,
        headers: {
          authorization: `DPoP ${token}`,
          ...(proof === undefined ? {} : { dpop: proof }),
          ...headers,
        },
      }),
  }
}

import { errors } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory/index.ts'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import {
  type Answer,
  basic,
  type Deployment,
  type DeploymentOptions,
  type Form,
  REDIRECT_URI,
} from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { clientAnswers } from './client-answers.ts'
import { during, EXHAUSTED, NONCES, WRONG_PROOFS } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

const PAGE = { accept: 'text/html' }
const ELSEWHERE = { origin: 'https://console.example.com' }
const TYPE = ACCESS_TOKEN_TYPE

function seen(what: string, answer: Answer, request?: unknown): SeenAnswer {
  return { operation: 'exchangeToken', what, answer, request }
}

/** Every answer to an exchange, each by a request to a deployment that runs. */
export async function* exchangeAnswers(): AsyncGenerator<SeenAnswer> {
  const corsAllowed = { clientBasedCORS: () => true }
  yield* during({ configuration: corsAllowed }, success)
  yield* clientAnswers()
  yield* during({}, requests)
  yield* rules()
  yield* limits()
  yield* removedMeanwhile()
  yield* unrecorded()
  yield* during({ configuration: { features: { dPoP: NONCES } }, clients: BOUND }, proofs)
  yield* during({ configuration: { features: { dPoP: { enabled: true } } } }, proofsWithoutNonces)
  yield* nonces()
}

const BOUND = [
  {
    client_id: 'bound',
    client_secret: 'secret',
    dpop_bound_access_tokens: true,
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
    redirect_uris: [REDIRECT_URI],
  },
]

async function* success(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { exchange, subjectToken, base } = deployment
  const request = async () => ({ subject_token: await subjectToken() })
  for (const more of [{}, { scope: undefined }, { resource: `${base}/opaque` }]) {
    const form = { ...(await request()), ...more }
    yield seen('a good request', await exchange(form), whole(deployment, form))
  }
  const web = basic('web', 'web-secret')
  yield seen('a confidential client', await exchange(await request(), web))
  yield seen('from another origin', await exchange(await request(), ELSEWHERE))
  for (const headers of [PAGE, ELSEWHERE]) {
    yield seen('a bad token', await exchange({ subject_token: 'unknown' }, headers))
    const unknown = { subject_token: 'unknown', client_id: 'unknown' }
    yield seen('an unknown client', await exchange(unknown, headers))
  }
}

/** The form as `exchange` of the deployment sends it. */
function whole({ orders }: Deployment, form: Form): Form {
  const request: Form = {
    grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
    client_id: 'console',
    subject_token_type: TYPE,
    resource: orders,
    scope: 'orders:read',
    ...form,
  }
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

async function* requests(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { base, exchange, issue, orders } = deployment
  const { body } = await issue({ userId: 'alice', resource: orders })
  const subject_token: string = body.subjectToken
  const malformed: readonly Form[] = [
    { subject_token: undefined },
    { subject_token_type: undefined },
    { subject_token_type: 'jwt' },
    { actor_token: 'x', actor_token_type: undefined },
    { actor_token_type: TYPE },
    { requested_token_type: 'jwt' },
    { resource: [orders, `${base}/opaque`] },
    { resource: '/orders' },
    { resource: `${orders}#x` },
    { audience: ['one', 'two'] },
  ]
  for (const more of malformed) {
    const form = { subject_token, ...more }
    yield seen(JSON.stringify(more), await exchange(form), whole(deployment, form))
  }
  const refused: readonly Form[] = [
    { actor_token: 'unknown' },
    { subject_token: 'unknown' },
    { resource: undefined },
    { resource: 'https://unknown.example' },
    { resource: `${base}/opaque` },
    { audience: 'https://elsewhere.example' },
    { scope: 'orders:delete' },
  ]
  for (const form of refused) {
    yield seen(JSON.stringify(form), await exchange({ subject_token, ...form }))
  }
  yield seen('and still it can be redeemed', await exchange({ subject_token }))
}

/** What the deployment's own code and storage have to say. */
async function* rules(): AsyncGenerator<SeenAnswer> {
  const { adapter, faults } = faultyAdapter()
  const refusing = (...words: string[]): DeploymentOptions => ({
    impersonation: {
      getCustomJwtClaims({ context }) {
        if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
        throw new errors.AccessDenied(...words)
      },
    },
  })
  const options: readonly DeploymentOptions[] = [
    { impersonation: { actorToken: { required: true } } },
    { impersonation: { actorToken: { clients: ['console'] } } },
    { impersonation: { authorize: ({ stage }) => stage === 'issue' } },
    { impersonation: { authorize: ({ stage }) => stage === 'issue' || { needs: ['user'] } } },
    refusing(),
    refusing('the account is protected'),
    { configuration: { adapter, clientBasedCORS: () => true, features: { dPoP: NONCES } } },
  ]
  for (const option of options) {
    yield* during(option, async function* ({ subjectToken, exchange, issuer }) {
      faults.clear()
      const subject_token = await subjectToken()
      faults.add('SubjectToken.consumeOnce')
      for (const headers of [PAGE, ELSEWHERE, {}]) {
        const dpop = await (await dpopKey()).proof({ htu: `${issuer}/token` })
        const answer = await exchange({ subject_token }, { ...headers, dpop })
        // Where the deployment allows no other origin, that is the answer, and shown elsewhere.
        yield seen('by the rules of the deployment', answer)
      }
    })
  }
}

async function* limits(): AsyncGenerator<SeenAnswer> {
  for (const exhaustedAt of [0, 1]) {
    const consume = async (_key: string, points?: number) => {
      if (points === exhaustedAt) throw EXHAUSTED
    }
    const options = {
      impersonation: { limits: { failedExchanges: { consume } } },
      configuration: { clientBasedCORS: () => true, features: { dPoP: NONCES } },
    }
    yield* during(options, async function* ({ exchange, issuer }) {
      for (const headers of [PAGE, ELSEWHERE, {}]) {
        const dpop = await (await dpopKey()).proof({ htu: `${issuer}/token` })
        const answer = await exchange({ subject_token: 'unknown' }, { ...headers, dpop })
        yield seen('too often', answer)
      }
    })
  }
}

/** The audit cannot store it. */
async function* unrecorded(): AsyncGenerator<SeenAnswer> {
  const options = { configuration: { clientBasedCORS: () => true, features: { dPoP: NONCES } } }
  yield* during(options, async function* ({ exchange, issuer, provider, subjectToken }) {
    provider.impersonation.recordFirst(async (name) => {
      if (name === 'impersonation.granted') throw new Error('disk full')
    })
    for (const headers of [PAGE, ELSEWHERE, {}]) {
      const dpop = await (await dpopKey()).proof({ htu: `${issuer}/token` })
      const answer = await exchange({ subject_token: await subjectToken() }, { ...headers, dpop })
      yield seen('not recorded', answer)
    }
  })
}

/** The rule takes its time, and the client loses the grant meanwhile. */
async function* removedMeanwhile(): AsyncGenerator<SeenAnswer> {
  const adapter = createMemoryAdapter()
  const client = {
    client_id: 'stored',
    token_endpoint_auth_method: 'none' as const,
    redirect_uris: [REDIRECT_URI],
  }
  const grant_types = ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE]
  await adapter('Client').upsert('stored', { ...client, grant_types })
  const options: DeploymentOptions = {
    configuration: { adapter },
    impersonation: {
      async authorize({ stage }) {
        if (stage === 'issue') return true
        await adapter('Client').upsert('stored', { ...client, grant_types: ['authorization_code'] })
        await new Promise(setImmediate)
        return true
      },
    },
  }
  yield* during(options, async function* ({ exchange, subjectToken }) {
    const form = { subject_token: await subjectToken(), client_id: 'stored' }
    yield seen('the client loses the grant meanwhile', await exchange(form))
  })
}

async function* proofs(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { exchange, subjectToken, issuer } = deployment
  const subject_token = await subjectToken()
  const key = await dpopKey()
  const htu = `${issuer}/token`
  yield seen('no JWT', await exchange({ subject_token }, { dpop: 'no JWT' }))
  for (const claims of [...WRONG_PROOFS, { iat: 1 }, { nonce: 'another' }]) {
    const dpop = await key.proof({ htu, ...claims })
    yield seen(
      `a proof with ${JSON.stringify(claims)}`,
      await exchange({ subject_token }, { dpop }),
    )
  }
  const bound = basic('bound', 'secret')
  yield seen('a client that needs a proof', await exchange({ subject_token }, bound))
  const dpop = await key.proof({ htu })
  yield seen('a proof', await exchange({ subject_token }, { dpop }))
  const again = { subject_token: await subjectToken() }
  yield seen('the same proof', await exchange(again, { dpop }))
}

async function* proofsWithoutNonces(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { exchange, subjectToken, issuer } = deployment
  const subject_token = await subjectToken()
  const key = await dpopKey()
  for (const claims of [{ iat: 1 }, { nonce: 'another' }]) {
    const dpop = await key.proof({ htu: `${issuer}/token`, ...claims })
    yield seen(
      `a proof with ${JSON.stringify(claims)}`,
      await exchange({ subject_token }, { dpop }),
    )
  }
}

async function* nonces(): AsyncGenerator<SeenAnswer> {
  const dPoP = { ...NONCES, requireNonce: () => true }
  yield* during({ configuration: { features: { dPoP } } }, async function* (deployment) {
    const { exchange, issuer } = deployment
    const dpop = await (await dpopKey()).proof({ htu: `${issuer}/token` })
    yield seen('a proof without the nonce', await exchange({ subject_token: 'x' }, { dpop }))
  })
}

import { athOf, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { NONCES, WRONG_PROOFS } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

const PATH = '/oidc/impersonations/current/end'
const ELSEWHERE = { origin: 'https://console.example.com' }

/** Every answer of the end by the impersonated token itself. */
export async function* endCurrentAnswers(): AsyncGenerator<SeenAnswer> {
  for (const isAllowed of [true, false]) yield* without(isAllowed)
  for (const dPoP of [NONCES, { enabled: true }]) yield* withProofs(dPoP)
}

async function seen(
  { base }: Managed,
  what: string,
  headers: Record<string, string>,
  method = 'POST',
): Promise<SeenAnswer> {
  const answer = await answerOf(await fetch(`${base}${PATH}`, { method, headers }))
  return { operation: 'endCurrentImpersonation', what, answer }
}

async function* without(isAllowed: boolean): AsyncGenerator<SeenAnswer> {
  const { adapter, faults } = faultyAdapter()
  const configuration = { adapter, clientBasedCORS: () => isAllowed }
  const deployment = await managing({ configuration })
  for (const origin of [{}, ELSEWHERE]) {
    const { subjectToken } = await deployment.start()
    const { body } = await deployment.exchange({ subject_token: subjectToken })
    const token = { authorization: `Bearer ${body.access_token}`, ...origin }
    faults.add('SubjectToken.find')
    yield seen(deployment, 'trouble', token)
    faults.clear()
    yield seen(deployment, 'a live token', token)
    yield seen(deployment, 'an ended one, or a refused origin', token)
    yield seen(deployment, 'an unknown token', { authorization: 'Bearer unknown', ...origin })
    yield seen(deployment, 'no token', origin)
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      yield seen(deployment, method, origin, method)
    }
  }
  await deployment.close()
}

async function* withProofs(
  dPoP: typeof NONCES | { readonly enabled: boolean },
): AsyncGenerator<SeenAnswer> {
  let requireNonce = false
  let isAllowed = true
  const { adapter, faults } = faultyAdapter()
  const features = { dPoP: { ...dPoP, requireNonce: () => requireNonce } }
  const deployment = await managing({
    configuration: { adapter, features, clientBasedCORS: () => isAllowed },
  })
  const { subjectToken } = await deployment.start()
  const key = await dpopKey()
  const dpop = await key.proof({ htu: `${deployment.issuer}/token` })
  const { body } = await deployment.exchange({ subject_token: subjectToken }, { dpop })
  const token: string = body.access_token
  const good = { htu: `${deployment.base}${PATH}`, ath: athOf(token) }
  const authorization = `DPoP ${token}`
  const shown = async (what: string, claims: object = {}, origin: Record<string, string> = {}) =>
    seen(deployment, what, {
      authorization,
      ...origin,
      dpop: await key.proof({ ...good, ...claims }),
    })
  for (const claims of [...WRONG_PROOFS, { ath: 'another' }, { iat: 1 }, { nonce: 'another' }]) {
    yield shown(`a proof with ${JSON.stringify(claims)}`, claims)
  }
  yield seen(deployment, 'no JWT', { authorization, dpop: 'no JWT' })
  yield seen(deployment, 'no proof', { authorization })
  if ('nonceSecret' in dPoP) {
    requireNonce = true
    yield shown('no nonce')
    requireNonce = false
  }
  isAllowed = false
  yield shown('another origin', {}, ELSEWHERE)
  isAllowed = true
  faults.add('SubjectToken.find')
  yield shown('trouble')
  faults.clear()
  yield shown('a proof', {}, ELSEWHERE)
  yield shown('again')
  await deployment.close()
}

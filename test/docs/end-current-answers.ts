import { athOf, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { NONCES, WRONG_PROOFS } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

const CURRENT = '/oidc/impersonations/current'
const PATH = `${CURRENT}/end`
const ELSEWHERE = { origin: 'https://console.example.com' }

/** Every answer of the routes that take the impersonated token itself. */
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

async function shown(
  { base }: Managed,
  what: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<SeenAnswer> {
  const answer = await answerOf(await fetch(`${base}${CURRENT}`, { method, headers }))
  return { operation: 'showCurrentImpersonation', what, answer }
}

/** An end with a body. */
async function ended(
  { base }: Managed,
  request: unknown,
  { type = 'application/json', ...headers }: Record<string, string>,
): Promise<SeenAnswer> {
  const body = typeof request === 'string' ? request : JSON.stringify(request)
  const init = { method: 'POST', headers: { ...headers, 'content-type': type }, body }
  const answer = await answerOf(await fetch(`${base}${PATH}`, init))
  const operation = 'endCurrentImpersonation'
  return { operation, what: body, answer, ...(typeof request === 'string' ? {} : { request }) }
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
    yield shown(deployment, 'trouble', token)
    faults.clear()
    yield shown(deployment, 'a live token', token)
    if (isAllowed) {
      for (const body of [{ reason: 'done' }, { cause: 'user' }, [], '{', '1', 'x'.repeat(1025)]) {
        yield ended(deployment, body, token)
      }
      yield ended(deployment, '{}', { ...token, type: 'text/plain' })
      yield ended(deployment, '{}', { ...token, 'content-encoding': 'gzip' })
    }
    yield isAllowed && origin === ELSEWHERE
      ? ended(deployment, { reason: 'left' }, token)
      : seen(deployment, 'a live token', token)
    yield seen(deployment, 'an ended one, or a refused origin', token)
    for (let count = 0; count < 20; count += 1) yield shown(deployment, 'an ended one', token)
    yield shown(deployment, 'an unknown token', { authorization: 'Bearer unknown', ...origin })
    yield shown(deployment, 'no token', origin)
    yield seen(deployment, 'an unknown token', { authorization: 'Bearer unknown', ...origin })
    yield seen(deployment, 'no token', origin)
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      yield seen(deployment, method, origin, method)
    }
    for (const method of ['POST', 'OPTIONS']) yield shown(deployment, method, origin, method)
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
  const authorization = `DPoP ${token}`
  const prove = async (htm: string, path: string, claims: object = {}) => ({
    authorization,
    dpop: await key.proof({ htm, htu: `${deployment.base}${path}`, ath: athOf(token), ...claims }),
  })
  const end = async (what: string, claims: object = {}, headers: Record<string, string> = {}) =>
    seen(deployment, what, { ...(await prove('POST', PATH, claims)), ...headers })
  const show = async (what: string, claims: object = {}, headers: Record<string, string> = {}) =>
    shown(deployment, what, { ...(await prove('GET', CURRENT, claims)), ...headers })
  const both = [end, show]
  for (const claims of [...WRONG_PROOFS, { ath: 'another' }, { iat: 1 }, { nonce: 'another' }]) {
    for (const ask of both) yield ask(`a proof with ${JSON.stringify(claims)}`, claims)
  }
  for (const ask of [seen, shown]) {
    yield ask(deployment, 'no JWT', { authorization, dpop: 'no JWT' })
    yield ask(deployment, 'no proof', { authorization })
  }
  if ('nonceSecret' in dPoP) {
    requireNonce = true
    for (const ask of both) yield ask('no nonce')
    requireNonce = false
  }
  isAllowed = false
  for (const ask of both) yield ask('another origin', {}, ELSEWHERE)
  isAllowed = true
  for (const body of [{ reason: 'done' }, 'x'.repeat(1025)]) {
    yield ended(deployment, body, await prove('POST', PATH))
  }
  yield ended(deployment, '{}', { ...(await prove('POST', PATH)), type: 'text/plain' })
  faults.add('SubjectToken.find')
  for (const ask of both) yield ask('trouble')
  faults.clear()
  yield show('a proof', {}, ELSEWHERE)
  yield end('a proof', {}, ELSEWHERE)
  yield end('again')
  for (let count = 0; count < 20; count += 1) yield show('too often')
  await deployment.close()
}

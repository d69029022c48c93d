import { expect } from 'chai'
import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type GetCustomJwtClaims, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { type Deployment, type Form, signingKey } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

export const SUBJECT_REFUSED = {
  error: 'invalid_request',
  error_description: 'subject token is invalid',
}
export const ACTOR_REFUSED = {
  error: 'invalid_request',
  error_description: 'actor token is invalid',
}
/** An exchange that is refused with this error, and issues nothing. */
export async function expectRefused(
  deployment: Deployment,
  form: Form,
  error: object,
): Promise<void> {
  const { status, body } = await deployment.exchange(form)
  expect(status, JSON.stringify(body)).to.equal(400)
  expect(body).to.deep.equal(error)
}

/** The exchange succeeds: what was refused before left the subject token usable. */
export async function expectExchanged(deployment: Deployment, form: Form): Promise<JWTPayload> {
  const { status, body } = await deployment.exchange(form)
  expect(status, JSON.stringify(body)).to.equal(200)
  return decodeJwt(body.access_token)
}

/** The management API refuses this bearer token, and issues nothing. */
export async function expectBearerRefused(deployment: Deployment, token: string): Promise<void> {
  const { body } = await expectAnswer(
    deployment.issue({ userId: 'alice' }, { token }),
    401,
    'invalid_token',
  )
  expect(body).to.not.have.property('subjectToken')
}

/** A JWT access token of the operator. */
export async function operatorJwt(deployment: Deployment): Promise<string> {
  const options = { scope: 'openid orders:read', resource: deployment.orders }
  return (await signIn(deployment, 'olivia', options)).access_token
}

/** The same token with something changed, signed again: by the provider's own key, or another. */
export async function resigned(
  token: string,
  change: (claims: JWTPayload) => JWTPayload,
  header: Record<string, unknown> = {},
  key?: Parameters<SignJWT['sign']>[0],
): Promise<string> {
  return new SignJWT(change(decodeJwt(token)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
    .sign(key ?? (await importJWK(signingKey)))
}

/**
 * A hook that lets exchanges go on only once this many have passed every check: a race that the
 * scheduler cannot decide to call off.
 */
export function startingLine(count: number): GetCustomJwtClaims {
  let start = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  let waiting = 0
  return async ({ context }) => {
    if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
    waiting += 1
    if (waiting === count) start()
    await started
    return {}
  }
}

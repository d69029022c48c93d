import { expect } from 'chai'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { RequestRefused, resourceServer } from '../../packages/resource-server/src/index.ts'
import { signCheckpoint } from '../../src/siblings/index.ts'
import { expectRejection } from '../adapters/servers.ts'
import { at } from '../support/clock.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'

const TYPE = 'impersonation-audit-checkpoint+jwt'

/** Members that a caller would write to make a token of it. */
const GREEDY = {
  iat: 1,
  exp: 9_999_999_999,
  sub: 'alice',
  client_id: 'console',
  scope: 'openid orders:read',
  jti: 'x',
  act: { sub: 'olivia' },
  status_list: { bits: 1, lst: 'x' },
}

describe('signCheckpoint', () => {
  let greedy: string

  const deployment = shared(deploy)
  before(async () => {
    const aud = [deployment.orders, deployment.management, 'console', deployment.issuer]
    greedy = await signCheckpoint(deployment.provider, {
      ...GREEDY,
      iss: deployment.issuer,
      aud,
    })
  })

  it('signs what it was given, under one member, with a key that the provider publishes', async () => {
    const heads = [{ writer: 'w', sequence: 3, hash: 'h' }]
    const time = 1_800_000_000_000
    const token = await at(time, () => signCheckpoint(deployment.provider, { heads }))
    const keys = createRemoteJWKSet(new URL(`${deployment.issuer}/jwks`))
    const { payload, protectedHeader } = await jwtVerify(token, keys, { typ: TYPE })
    expect(payload).to.deep.equal({
      iss: deployment.issuer,
      iat: time / 1000,
      checkpoint: { heads },
    })
    expect(protectedHeader).to.have.all.keys('alg', 'typ', 'kid')
  })

  it('leaves no claim to the caller: no audience, no subject, no expiry', () => {
    expect(Object.keys(decodeJwt(greedy))).to.have.members(['iss', 'iat', 'checkpoint'])
    expect(decodeJwt(greedy).iss).to.equal(deployment.issuer)
    expect(decodeProtectedHeader(greedy).typ).to.equal(TYPE)
  })

  // At the other doors: refused.test.ts.
  it('is no access token for an API or userinfo', async () => {
    const guard = resourceServer({ issuer: deployment.issuer, audience: deployment.orders })
    await expectRejection(guard.authenticate(`Bearer ${greedy}`), RequestRefused)
    const headers = { authorization: `Bearer ${greedy}` }
    await expectAnswer(fetch(`${deployment.issuer}/me`, { headers }), 401)
  })

  it('is no ID token: a hint of who is signed in is refused', async () => {
    const { id_token: real = '' } = await signIn(deployment, 'alice')
    const signOut = async (hint: string) => {
      const query = new URLSearchParams({ id_token_hint: hint, client_id: 'console' })
      return (await fetch(`${deployment.issuer}/session/end?${query}`)).status
    }
    expect(await signOut(real)).to.equal(200)
    expect(await signOut(greedy)).to.equal(400)
  })

  it('takes nothing that JSON cannot hold', async () => {
    const { provider } = deployment
    const circular: Record<string, unknown> = {}
    circular.self = circular
    for (const [wrong, told] of [
      [circular, 'circular'],
      [{ a: 1n }, 'BigInt'],
    ] as const) {
      const error = await signCheckpoint(provider, wrong).catch((it: unknown) => it)
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.contain(told)
    }
  })
})

import { expect } from 'chai'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { later } from '../support/clock.ts'
import { signingKey } from '../support/deployment.ts'
import { bearer, CURRENT, current, end, impersonate, PATH } from '../support/ending-current.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'

describe('POST {issuer}/impersonations/current/end', () => {
  let deployment: Managed
  const stateOf = async (id: string) => (await deployment.get(`/${id}`)).body.state
  before(async () => {
    deployment = await managing({ configuration: { features: { dPoP: { enabled: false } } } })
  })
  after(() => deployment.close())

  for (const [what, resource] of [
    ['a JWT', 'orders'],
    ['an opaque token', 'opaque'],
  ]) {
    it(`${what} ends its own impersonation: 204, and the same token again is 401`, async () => {
      const { access_token: actor_token } = await signIn(deployment, 'olivia')
      const form = { resource: `${deployment.base}/${resource}`, actor_token }
      const { id, token } = await impersonate(deployment, form)
      const other = await impersonate(deployment, form)
      const before = (await deployment.events()).length
      const { status, body, headers } = await end(deployment.base, bearer(token))
      expect([status, body, headers.get('cache-control')]).to.deep.equal([204, '', 'no-store'])
      const { state, end: ended } = (await deployment.get(`/${id}`)).body
      const by = { sub: 'olivia' }
      expect([state, ended]).to.deep.equal(['ended', { at: ended.at, by, cause: 'requested' }])
      const again = await end(deployment.base, bearer(token))
      expect([again.status, again.body.error]).to.deep.equal([401, 'invalid_token'])
      expect(await stateOf(other.id)).to.equal('active')
      const events = (await deployment.events(before + 2)).slice(before)
      expect(events.map(({ name, denial }) => [name, denial?.stage, denial?.error])).to.deep.equal([
        ['impersonation.ended', undefined, undefined],
        ['impersonation.denied', 'end', 'invalid_token'],
      ])
      expect(events[0]).to.deep.include({ id, userId: 'alice', actor: by, end: ended })
      // The provider does not know an opaque token any more.
      const told = resource === 'orders' ? { userId: 'alice', client: 'console', id } : {}
      expect(events[1]).to.include(told)
      expect(JSON.stringify(events)).to.not.include(token)
    })
  }

  it('401 for one that has expired, at both paths', async () => {
    const jwt = await impersonate(deployment)
    const opaque = await impersonate(deployment, { resource: `${deployment.base}/opaque` })
    using _ = later(3_601_000)
    for (const { token } of [jwt, opaque]) {
      expect((await end(deployment.base, bearer(token))).status).to.equal(401)
      expect((await current(deployment.base, bearer(token))).status).to.equal(401)
    }
  })

  it('a JWT that outlives what the record says of it by over 300 s: 401, since nothing ended', async () => {
    const { id, token } = await impersonate(deployment)
    const { exp = 0, ...claims } = decodeJwt(token)
    const longer = await new SignJWT({ ...claims, exp: exp + 360 })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
      .sign(await importJWK(signingKey, 'ES256'))
    using _ = later(1_201_000)
    expect((await end(deployment.base, bearer(longer))).status).to.equal(401)
    expect((await current(deployment.base, bearer(longer))).status).to.equal(401)
    expect((await deployment.provider.impersonation.get(id))?.state).to.equal('expired')
  })

  it('one that was ended by others is 401, and says no more', async () => {
    const { id, token } = await impersonate(deployment)
    await deployment.send(`/${id}/end`, { by: { sub: 'alice' }, cause: 'user' })
    const { status, body } = await end(deployment.base, bearer(token))
    expect([status, body.error_description]).to.deep.equal([401, 'invalid token provided'])
    expect((await deployment.get(`/${id}`)).body.end.cause).to.equal('user')
  })

  it('many at once: one event, and each answer is 204 or 401', async () => {
    const { id, token } = await impersonate(deployment)
    const before = (await deployment.events()).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => end(deployment.base, bearer(token))),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses.has(204)).to.equal(true)
    expect([...statuses].filter((status) => status !== 204 && status !== 401)).to.deep.equal([])
    const events = (await deployment.events(before + 1)).slice(before)
    const ended = events.filter(({ name }) => name === 'impersonation.ended')
    expect(ended.map((event) => event.id)).to.deep.equal([id])
  })

  it('405 for other methods, HEAD among them; other paths are not this one', async () => {
    const { id, token } = await impersonate(deployment)
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${deployment.base}${PATH}`, { method, headers: bearer(token) })
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([
        405,
        'POST, OPTIONS',
      ])
    }
    for (const method of ['POST', 'HEAD', 'PUT', 'OPTIONS']) {
      const response = await fetch(`${deployment.base}${CURRENT}`, { method })
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([
        405,
        'GET, OPTIONS',
      ])
    }
    for (const [method, known] of [
      ['POST', PATH],
      ['GET', CURRENT],
    ] as const) {
      const paths = [`${known}/`, known.toUpperCase(), known.replace('c', '%63'), `/oidc/${known}`]
      for (const path of [...paths, known.slice('/oidc'.length)]) {
        const answer = await answerOf(
          await fetch(`${deployment.base}${path}`, { method, headers: bearer(token) }),
        )
        expect(answer.status, path).to.equal(404)
      }
    }
    expect(await stateOf(id)).to.equal('active')
  })

  it('I5: storage that fails is a 500 in JSON, and the token can be tried again', async () => {
    const { adapter, faults } = faultyAdapter()
    await using failing = await managing({ configuration: { adapter } })
    const jwt = await impersonate(failing)
    const opaque = await impersonate(failing, { resource: `${failing.base}/opaque` })
    for (const [fault, token] of [
      ['SubjectToken.find', jwt.token],
      ['SubjectToken.find', opaque.token],
      ['SubjectToken.endOnce', jwt.token],
      ['AccessToken.find', opaque.token],
    ] as const) {
      faults.add(fault)
      const { status, body } = await end(failing.base, bearer(token))
      expect([status, body], fault).to.deep.equal([
        500,
        { error: 'server_error', error_description: 'oops! something went wrong' },
      ])
      faults.clear()
    }
    expect(failing.serverErrors).to.have.lengthOf(4)
    for (const { token } of [jwt, opaque]) {
      expect((await end(failing.base, bearer(token))).status).to.equal(204)
    }
  })
})

import { expect } from 'chai'
import { END_CURRENT } from '../support/deployment.ts'
import { athOf, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'

describe('POST {issuer}/impersonations/current/end', () => {
  const stateOf = async (id: string) => (await deployment.get(`/${id}`)).body.state
  const deployment = shared(() =>
    managing({ configuration: { features: { dPoP: { enabled: false } } } }),
  )

  for (const [what, resource] of [
    ['a JWT', 'orders'],
    ['an opaque token', 'opaque'],
  ]) {
    it(`${what} ends its own impersonation: 204, and the same token again is 401`, async () => {
      const { access_token: actor_token } = await signIn(deployment, 'olivia')
      const form = { resource: `${deployment.base}/${resource}`, actor_token }
      const { id, token } = await deployment.impersonate(form)
      const other = await deployment.impersonate(form)
      const before = (await deployment.events()).length
      const { status, body, headers } = await deployment.endCurrent(token)
      expect([status, body, headers.get('cache-control')]).to.deep.equal([204, '', 'no-store'])
      const { state, end: ended } = (await deployment.get(`/${id}`)).body
      const by = { sub: 'olivia' }
      expect([state, ended]).to.deep.equal(['ended', { at: ended.at, by, cause: 'requested' }])
      await expectAnswer(deployment.endCurrent(token), 401, {
        error: 'invalid_token',
        error_description: 'invalid token provided',
      })
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

  it('its body may say that the page was left, and nothing else; what it refuses ends nothing', async () => {
    const { id, token } = await deployment.impersonate()
    for (const [body, error] of [
      [{ reason: 'done' }, 'reason must be left'],
      [{ reason: null }, 'reason must be left'],
      [{ cause: 'user' }, 'cause is not known; known are: reason'],
      [[], 'a JSON object is expected'],
    ]) {
      const refused = await deployment.endCurrent(token, body)
      expect([refused.status, refused.body.error_description]).to.deep.equal([400, error])
    }
    const long = await deployment.endCurrent(token, { reason: 'x'.repeat(2000) })
    expect([long.status, await stateOf(id)]).to.deep.equal([413, 'active'])
    await expectAnswer(deployment.endCurrent(token, { reason: 'left' }), 204)
    expect((await deployment.get(`/${id}`)).body.end.reason).to.equal('left')
  })

  it('I10: a proof cannot be used again, also where the storage failed', async () => {
    const { adapter, faults } = faultyAdapter()
    const features = { dPoP: { enabled: true } }
    await using failing = await managing({ configuration: { adapter, features } })
    const { base, issuer } = failing
    const key = await dpopKey()
    const dpop = await key.proof({ htu: `${issuer}/token` })
    const { id, token } = await failing.impersonate({}, { dpop })
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: await key.proof({ htu: `${base}${END_CURRENT}`, ath: athOf(token) }),
    }
    faults.add('SubjectToken.endOnce')
    await expectAnswer(failing.endCurrent(headers), 500)
    faults.clear()
    await expectAnswer(failing.endCurrent(headers), 401)
    expect((await failing.get(`/${id}`)).body.state).to.equal('active')
  })
})

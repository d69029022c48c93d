import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type EndOptions, Provider } from '../../src/index.ts'
import { later } from '../support/clock.ts'
import { bearer, CURRENT, END_CURRENT } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer, expectUncached } from '../support/http.ts'
import { resigned } from '../support/jwts.ts'
import { managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

/** Ways in which one can end, and what its token is told. */
const ENDS: ReadonlyArray<[what: string, how: EndOptions, by: string]> = [
  ['the customer', { by: { sub: 'alice' }, cause: 'user' }, 'customer'],
  ['somebody for the customer', { by: { sub: 'parent' }, cause: 'user' }, 'customer'],
  ['the customer, without a cause', { by: { sub: 'alice' } }, 'customer'],
  ['the operator', { by: { sub: 'olivia' } }, 'operator'],
  ['a lead, who says why', { by: { sub: 'lea' }, reason: 'a word about olivia' }, 'other'],
  ['a backend that names no person', { cause: 'policy' }, 'other'],
  ['the provider, after a replay', { cause: 'replay' }, 'other'],
]

describe('GET {issuer}/impersonations/current', () => {
  let review: string | undefined
  const authorize = () => (review === undefined ? true : { review })
  const deployment = shared(() => managing({ impersonation: { authorize } }))
  const statusOf = async (token: string) => (await deployment.current(token)).status

  for (const resource of ['orders', 'opaque']) {
    it(`tells a token (${resource}) that it lives, and after any end who ended it and why, and no more`, async () => {
      const actor_token = await deployment.actorToken()
      const form = { resource: `${deployment.base}/${resource}`, actor_token }
      const before = (await deployment.events()).length
      for (const [what, how, by] of ENDS) {
        const { id, token } = await deployment.impersonate(form)
        const { expiresAt } = (await deployment.get(`/${id}`)).body
        const active = { state: 'active', expiresAt }
        const { headers } = await expectAnswer(deployment.current(token), 200, active)
        expectUncached(headers)
        await deployment.provider.impersonation.end(id, how)
        const { cause = 'requested' } = how
        const expected = { state: 'ended', expiresAt, end: { cause, by } }
        await expectAnswer(deployment.current(token), 200, expected, what)
      }
      // Issued, granted, ended: nothing of the questions.
      const events = (await deployment.events(before + 3 * ENDS.length)).slice(before)
      expect(events).to.have.length(3 * ENDS.length)
    })
  }

  it('with a review, where the rule wants a person to look at it; why is not told, also after the end', async () => {
    review = 'after a refusal by Grace'
    const { id, token } = await deployment.impersonate()
    review = undefined
    const active = (await deployment.current(token)).body
    expect(active).to.deep.equal({ state: 'active', expiresAt: active.expiresAt, review: true })
    await deployment.provider.impersonation.end(id)
    const ended = (await deployment.current(token)).body
    expect([ended.state, ended.review]).to.deep.equal(['ended', true])
  })

  it('401 once the token would have expired, and for an opaque one that was revoked', async () => {
    for (const resource of ['orders', 'opaque']) {
      const form = { resource: `${deployment.base}/${resource}` }
      const live = await deployment.impersonate(form)
      const ended = await deployment.impersonate(form)
      const { expiresAt } = (await deployment.get(`/${ended.id}`)).body
      await deployment.provider.impersonation.end(ended.id)
      {
        using _ = later(expiresAt * 1000 - Date.now() - 1000)
        expect(await statusOf(ended.token)).to.equal(200)
      }
      using _ = later(expiresAt * 1000 - Date.now() + 2000)
      expect(await statusOf(ended.token)).to.equal(401)
      expect(await statusOf(live.token)).to.equal(401)
      await expectAnswer(deployment.endCurrent(live.token), 401)
    }
    const { token } = await deployment.impersonate({ resource: `${deployment.base}/opaque` })
    await deployment.post('/oidc/token/revocation', { token, client_id: 'console' })
    expect(await statusOf(token)).to.equal(401)
  })

  it('401 for a JWT that outlives what the record says of it by over 300 s, also at the end: nothing ended', async () => {
    const { id, token } = await deployment.impersonate()
    const { exp = 0 } = decodeJwt(token)
    const longer = await resigned(token, { exp: exp + 360 })
    using _ = later(1_201_000)
    await expectAnswer(deployment.endCurrent(longer), 401)
    expect(await statusOf(longer)).to.equal(401)
    expect((await deployment.provider.impersonation.get(id))?.state).to.equal('expired')
  })

  it("is the provider's own request for code of the deployment, and so is the end", async () => {
    const paths: unknown[] = []
    const configuration = { clientBasedCORS: () => paths.push(Provider.ctx?.path) > 0 }
    await using own = await managing({ configuration })
    const { token } = await own.impersonate()
    const headers = { ...bearer(token), origin: 'https://console.example.com' }
    paths.length = 0
    for (const ask of [own.current, own.endCurrent]) await ask(headers)
    const asked = ['/impersonations/current', '/impersonations/current/end']
    expect(paths).to.deep.equal(asked)
  })

  it('20 times in 10 seconds for one token, and other tokens are not held up', async () => {
    const { token } = await deployment.impersonate()
    const other = await deployment.impersonate()
    for (let count = 0; count < 20; count += 1) expect(await statusOf(token)).to.equal(200)
    const refused = await expectAnswer(deployment.current(token), 429, 'temporarily_unavailable')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 10)
    expect(await statusOf(other.token)).to.equal(200)
    // An end is never held up.
    await expectAnswer(deployment.endCurrent(token), 204)
  })

  it('I10: a bound token tells nothing without its key, also after its end, and nobody without it uses up what its page may ask', async () => {
    await using own = await managing()
    const { base, current, issuer, provider } = own
    const key = await dpopKey()
    for (const resource of [own.orders, `${base}/opaque`]) {
      const exchanged = { dpop: await key.proof({ htu: `${issuer}/token` }) }
      const { id, token } = await own.impersonate({ resource }, exchanged)
      const claims = { htm: 'GET', htu: `${base}${CURRENT}`, ath: athOf(token) }
      const shown = async (by: DPoPKey) =>
        current({ authorization: `DPoP ${token}`, dpop: await by.proof(claims) })
      for (let count = 0; count < 30; count += 1) {
        await expectAnswer(current(token), 401)
      }
      expect((await shown(key)).body.state).to.equal('active')
      await provider.impersonation.end(id)
      await expectAnswer(current(token), 401)
      await expectAnswer(shown(await dpopKey()), 401)
      expect((await shown(key)).body.state).to.equal('ended')
    }
  })
})

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
      const actor_token = await deployment.actorToken()
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
      await expectAnswer(deployment.endCurrent(token, body), 400, error)
    }
    const long = await deployment.endCurrent(token, { reason: 'x'.repeat(2000) })
    expect([long.status, await stateOf(id)]).to.deep.equal([413, 'active'])
    await expectAnswer(deployment.endCurrent(token, { reason: 'left' }), 204)
    expect((await deployment.get(`/${id}`)).body.end.reason).to.equal('left')
  })

  it('I10: a proof cannot be used again, also where the storage failed', async () => {
    const { adapter, faults } = faultyAdapter()
    await using failing = await managing({ adapter })
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
    await failing.expectState(id, 'active')
  })
})

import { expect } from 'chai'
import type { AdapterFactory } from '../../src/adapters/contract.ts'
import { type EndOptions, Provider } from '../../src/index.ts'
import { openStorage } from '../proofs/storage.ts'
import { onStores } from '../proofs/stores.ts'
import { later } from '../support/clock.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { bearer, CURRENT, current, end, impersonate } from '../support/ending-current.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { basic } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn, signOutOfProvider } from '../support/sign-in.ts'

/** How one can end, and what its token is told. */
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
  describe('in memory', () => everyEnd(async () => ({ adapter: undefined, close: async () => {} })))
  onStores(['sqlite', 'node-redis', 'pg'], (store) => everyEnd(() => openStorage(store.spec())))

  it('after the operator has ended it with the token itself, and has signed out', async () => {
    await using deployment = await managing()
    const first = await signIn(deployment, 'olivia')
    for (const resource of ['orders', 'opaque']) {
      const form = { resource: `${deployment.base}/${resource}`, actor_token: first.access_token }
      const [one, other] = [
        await impersonate(deployment, form),
        await impersonate(deployment, form),
      ]
      expect((await end(deployment.base, bearer(one.token), { reason: 'left' })).status).to.equal(
        204,
      )
      const { end: ended } = (await deployment.get(`/${one.id}`)).body
      expect(ended).to.deep.include({ cause: 'requested', by: { sub: 'olivia' }, reason: 'left' })
      const told = await current(deployment.base, bearer(one.token))
      expect(told.body.end).to.deep.equal({ cause: 'requested', by: 'operator' })
      if (resource === 'orders') continue
      await signOutOfProvider(deployment, first)
      for (;;) {
        const { body } = await current(deployment.base, bearer(other.token))
        if (body.state === 'active') continue
        expect(body.end).to.deep.equal({ cause: 'operator_signed_out', by: 'operator' })
        break
      }
    }
  })

  it('with a review, where the rule wants a person to look at it; why is not told, also after the end', async () => {
    for (const [review, more] of [
      ['after a refusal by Grace', { review: true }],
      [undefined, {}],
    ] as const) {
      const authorize = () => (review === undefined ? true : { review })
      await using deployment = await managing({ impersonation: { authorize } })
      const { id, token } = await impersonate(deployment)
      const active = (await current(deployment.base, bearer(token))).body
      expect(active).to.deep.equal({ state: 'active', expiresAt: active.expiresAt, ...more })
      await deployment.provider.impersonation.end(id)
      const ended = (await current(deployment.base, bearer(token))).body
      expect([ended.state, ended.review]).to.deep.equal(['ended', active.review])
    }
  })

  it('401 once the token would have expired, and for an opaque one that was revoked', async () => {
    await using deployment = await managing()
    for (const resource of ['orders', 'opaque']) {
      const form = { resource: `${deployment.base}/${resource}` }
      const { id, token } = await impersonate(deployment, form)
      const { expiresAt } = (await deployment.get(`/${id}`)).body
      await deployment.provider.impersonation.end(id)
      {
        using _ = later(expiresAt * 1000 - Date.now() - 1000)
        expect((await current(deployment.base, bearer(token))).status).to.equal(200)
      }
      using _ = later(expiresAt * 1000 - Date.now() + 1000)
      expect((await current(deployment.base, bearer(token))).status).to.equal(401)
    }
    const { token } = await impersonate(deployment, { resource: `${deployment.base}/opaque` })
    await deployment.post('/oidc/token/revocation', { token, client_id: 'console' })
    expect((await current(deployment.base, bearer(token))).status).to.equal(401)
  })

  it('an ended opaque token is worth nothing anywhere else', async () => {
    await using deployment = await managing()
    const { token } = await impersonate(deployment, { resource: `${deployment.base}/opaque` })
    expect((await end(deployment.base, bearer(token))).status).to.equal(204)
    expect((await current(deployment.base, bearer(token))).body.state).to.equal('ended')
    expect((await end(deployment.base, bearer(token))).status).to.equal(401)
    const { body } = await deployment.post(
      '/oidc/token/introspection',
      { token },
      basic('web', 'web-secret'),
    )
    expect(body).to.deep.equal({ active: false })
  })

  it("is the provider's own request for code of the deployment, and so is the end", async () => {
    const paths: unknown[] = []
    const configuration = { clientBasedCORS: () => paths.push(Provider.ctx?.path) > 0 }
    await using deployment = await managing({ configuration })
    const { token } = await impersonate(deployment)
    const headers = { ...bearer(token), origin: 'https://console.example.com' }
    paths.length = 0
    for (const ask of [current, end]) await ask(deployment.base, headers)
    const asked = ['/impersonations/current', '/impersonations/current/end']
    expect(paths).to.deep.equal(asked)
  })

  it('20 times in 10 seconds for one token, and other tokens are not held up', async () => {
    await using deployment = await managing()
    const { token } = await impersonate(deployment)
    const other = await impersonate(deployment)
    const statuses = new Set<number>()
    for (let count = 0; count < 20; count += 1) {
      statuses.add((await current(deployment.base, bearer(token))).status)
    }
    expect([...statuses]).to.deep.equal([200])
    const refused = await current(deployment.base, bearer(token))
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'temporarily_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 10)
    expect((await current(deployment.base, bearer(other.token))).status).to.equal(200)
    // An end is never held up.
    expect((await end(deployment.base, bearer(token))).status).to.equal(204)
  })

  it('I5: storage that fails is a 500, and never an end', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await managing({ configuration: { adapter } })
    const jwt = await impersonate(deployment)
    const opaque = await impersonate(deployment, { resource: `${deployment.base}/opaque` })
    for (const [fault, token] of [
      ['SubjectToken.find', jwt.token],
      ['SubjectToken.find', opaque.token],
      ['AccessToken.find', opaque.token],
    ] as const) {
      faults.add(fault)
      const { status, body } = await current(deployment.base, bearer(token))
      expect([status, body.error], fault).to.deep.equal([500, 'server_error'])
      faults.clear()
    }
  })

  it('I10: also after its end, a bound token tells nothing without its key', async () => {
    const features = { dPoP: { enabled: true } } as const
    await using deployment = await managing({ configuration: { features } })
    const { base, issuer, provider } = deployment
    const key = await dpopKey()
    for (const resource of [deployment.orders, `${base}/opaque`]) {
      const exchanged = { dpop: await key.proof({ htu: `${issuer}/token` }) }
      const { id, token } = await impersonate(deployment, { resource }, exchanged)
      await provider.impersonation.end(id)
      const claims = { htm: 'GET', htu: `${base}${CURRENT}`, ath: athOf(token) }
      const shown = async (by: DPoPKey) =>
        current(base, { authorization: `DPoP ${token}`, dpop: await by.proof(claims) })
      expect((await current(base, bearer(token))).status).to.equal(401)
      expect((await shown(await dpopKey())).status).to.equal(401)
      expect((await shown(key)).body.state).to.equal('ended')
    }
  })

  it('who holds a bound token without its key cannot use up what its page may ask', async () => {
    await using deployment = await managing({
      configuration: { features: { dPoP: { enabled: true } } },
    })
    const { base, issuer } = deployment
    const key = await dpopKey()
    const exchanged = { dpop: await key.proof({ htu: `${issuer}/token` }) }
    const { token } = await impersonate(deployment, {}, exchanged)
    for (let count = 0; count < 30; count += 1) {
      expect((await current(base, bearer(token))).status).to.equal(401)
    }
    const dpop = await key.proof({ htm: 'GET', htu: `${base}${CURRENT}`, ath: athOf(token) })
    expect((await current(base, { authorization: `DPoP ${token}`, dpop })).status).to.equal(200)
  })
})

describe('POST {issuer}/impersonations/current/end: its body', () => {
  it('may say that the page was left, and nothing else; what it refuses ends nothing', async () => {
    await using deployment = await managing()
    const { id, token } = await impersonate(deployment)
    for (const [body, error] of [
      [{ reason: 'done' }, 'reason must be left'],
      [{ reason: null }, 'reason must be left'],
      [{ cause: 'user' }, 'cause is not known; known are: reason'],
      [[], 'a JSON object is expected'],
    ]) {
      const refused = await end(deployment.base, bearer(token), body)
      expect([refused.status, refused.body.error_description]).to.deep.equal([400, error])
    }
    const long = await end(deployment.base, bearer(token), { reason: 'x'.repeat(2000) })
    expect(long.status).to.equal(413)
    const form = { ...bearer(token), 'content-type': 'text/plain' }
    expect((await end(deployment.base, form)).status).to.equal(415)
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
    expect((await end(deployment.base, bearer(token), {})).status).to.equal(204)
  })
})

interface OpenStore {
  readonly adapter: AdapterFactory | undefined
  close(): Promise<void>
}

function everyEnd(open: () => Promise<OpenStore>): void {
  let deployment: Managed
  let close = async () => {}
  before(async () => {
    const { adapter, close: closeStorage } = await open()
    deployment = await managing({ configuration: adapter ? { adapter } : {} })
    close = async () => {
      await deployment.close()
      await closeStorage()
    }
  })
  after(() => close())

  for (const resource of ['orders', 'opaque']) {
    it(`tells a token (${resource}) that it lives, and after any end who ended it and why, and no more`, async () => {
      const { access_token: actor_token } = await signIn(deployment, 'olivia')
      const form = { resource: `${deployment.base}/${resource}`, actor_token }
      const before = (await deployment.events()).length
      for (const [what, how, by] of ENDS) {
        const { id, token } = await impersonate(deployment, form)
        const { expiresAt } = (await deployment.get(`/${id}`)).body
        const alive = await current(deployment.base, bearer(token))
        expect([alive.status, alive.body, alive.headers.get('cache-control')]).to.deep.equal([
          200,
          { state: 'active', expiresAt },
          'no-store',
        ])
        await deployment.provider.impersonation.end(id, how)
        const { status, body } = await current(deployment.base, bearer(token))
        const { cause = 'requested' } = how
        const expected = { state: 'ended', expiresAt, end: { cause, by } }
        expect([status, body], what).to.deep.equal([200, expected])
      }
      // Issued, granted, ended: nothing of the questions.
      const events = (await deployment.events(before + 3 * ENDS.length)).slice(before)
      expect(events).to.have.length(3 * ENDS.length)
    })
  }
}

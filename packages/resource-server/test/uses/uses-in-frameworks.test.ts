import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import { type StatusProvider, startStatusProvider } from '../status/status-provider.ts'
import { type DescribedUses, leave, toldUses, without } from './told-uses.ts'
import { apis, type UsedApi } from './used-apis.ts'

const id = 'A'.repeat(43)
const act = { sub: 'olivia', act: { sub: 'oscar' } }

for (const [name, start] of Object.entries(apis)) {
  describe(`onImpersonatedRequest in ${name}`, () => {
    let provider: StatusProvider
    let told: DescribedUses
    let api: UsedApi
    let impersonated: { authorization: string }

    before(async () => {
      provider = await startStatusProvider()
      told = toldUses()
      api = await start(provider.guard({ onImpersonatedRequest: told.onImpersonatedRequest }))
      const token = await provider.impersonated({
        jti: `impersonation:${id}`,
        act,
        status: provider.status(1),
      })
      impersonated = { authorization: `Bearer ${token}` }
    })
    after(async () => {
      await api.close()
      provider.close()
    })
    afterEach(() => expect(told.uses, 'a second call').to.deep.equal([]))

    const ask = async (method: string, path: string, headers: Record<string, string>) => {
      const response = await fetch(api.origin + path, { method, headers })
      await response.arrayBuffer()
      return response.status
    }
    const common = { id, userId: 'alice', actor: act, client: 'console', audience: AUDIENCE }

    it('a read and a change: who, what and the status, by the path that was asked for', async () => {
      const before = Date.now()
      expect(await ask('GET', '/v1/orders?email=alice@example.com#x', impersonated)).to.equal(200)
      expect(await ask('PUT', '/v1/orders/1%2F2/note', impersonated)).to.equal(204)
      const [read, changed, ...more] = await told.take(2)
      expect(more).to.deep.equal([])
      expect(read && without(read)).to.deep.equal({
        ...common,
        method: 'GET',
        path: '/v1/orders',
        status: 200,
      })
      expect(changed && without(changed)).to.deep.equal({
        ...common,
        method: 'PUT',
        path: '/v1/orders/1%2F2/note',
        status: 204,
      })
      expect(read?.timeMs).to.be.within(before, Date.now())
      expect(read?.useId)
        .to.match(/^[0-9a-f-]{36}$/)
        .and.not.to.equal(changed?.useId)
    })

    it('a refusal, by denyImpersonation and by requireScope', async () => {
      expect(await ask('PUT', '/v1/email', impersonated)).to.equal(403)
      expect(await ask('GET', '/v1/admin', impersonated)).to.equal(403)
      const [denied, poor] = await told.take(2)
      expect(denied && without(denied)).to.deep.equal({
        ...common,
        method: 'PUT',
        path: '/v1/email',
        status: 403,
        refused: {
          by: 'impersonation',
          error: 'access_denied',
          description: 'not while an operator acts for the user',
        },
      })
      expect(poor?.status).to.equal(403)
      expect(poor?.refused).to.deep.equal({
        by: 'scope',
        error: 'insufficient_scope',
        description: 'access token lacks the scope admin',
      })
    })

    it('a handler that throws: 500, and not refused', async () => {
      expect(await ask('GET', '/v1/broken', impersonated)).to.equal(500)
      const [broken] = await told.take(1)
      expect(broken && without(broken)).to.deep.equal({
        ...common,
        method: 'GET',
        path: '/v1/broken',
        status: 500,
      })
    })

    it('a client that goes away before the answer: no status', async () => {
      const started = performance.now()
      await leave(`${api.origin}/v1/slow`, impersonated, () => performance.now() > started + 150)
      const [left] = await told.take(1)
      expect(left && without(left)).to.deep.equal({ ...common, method: 'GET', path: '/v1/slow' })
    })

    it('HEAD, and OPTIONS with a token', async () => {
      await ask('HEAD', '/v1/orders', impersonated)
      await ask('OPTIONS', '/v1/orders', impersonated)
      const uses = await told.take(2)
      expect(uses.map(({ method }) => method)).to.deep.equal(['HEAD', 'OPTIONS'])
    })

    it('no word of a token that is ordinary, forged, expired, of another API, or missing', async () => {
      const { tokens } = provider
      const jti = `impersonation:${id}`
      const good = impersonated.authorization
      const forged = `${good.slice(0, good.lastIndexOf('.'))}.${'A'.repeat(86)}`
      const expired = await tokens.token({ jti, exp: 1 })
      const elsewhere = await tokens.token({ jti, aud: 'https://other.example.com' })
      const ordinary = await tokens.token()
      for (const authorization of [
        forged,
        `Bearer ${expired}`,
        `Bearer ${elsewhere}`,
        'Bearer x',
      ]) {
        expect(await ask('GET', '/v1/orders', { authorization })).to.equal(401)
      }
      expect(await ask('GET', '/v1/orders', {})).to.equal(401)
      const own = { authorization: `Bearer ${ordinary}` }
      expect(await ask('GET', '/v1/orders', own)).to.equal(200)
      expect(await ask('PUT', '/v1/email', own)).to.equal(200)
      await wait(50)
      expect(told.uses).to.deep.equal([])
    })

    it('one call for each of a hundred requests on connections that are kept', async () => {
      const paths = Array.from({ length: 100 }, (_, n) => `/v1/orders/${n}`)
      for (let n = 0; n < paths.length; n += 10) {
        await Promise.all(paths.slice(n, n + 10).map((path) => ask('GET', path, impersonated)))
      }
      const uses = await told.take(100)
      expect(uses.map(({ path }) => path)).to.have.members(paths)
      expect(new Set(uses.map(({ useId }) => useId)).size).to.equal(100)
    })
  })
}

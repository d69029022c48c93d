import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type ResourceServer, resourceServer } from '../../packages/resource-server/src/index.ts'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { ISSUER, ORDERS } from './provider-process.ts'
import { type ProviderProcess, startProvider } from './providers.ts'
import { onStores } from './stores.ts'

/** The longest time that an API may not know of an end, whatever happens, in milliseconds. */
const PROMISE = 35_000

describe('I11: an end reaches an API in another process, by whichever copy of the provider', () => {
  onStores(['node-redis', 'pg'], (store) => {
    let providers: [ProviderProcess, ProviderProcess] | undefined
    let api: ResourceServer

    before(async () => {
      const start = () => startProvider({ storage: store.spec() })
      const copies = await Promise.all([start(), start()])
      providers = copies
      let asked = 0
      api = resourceServer({
        issuer: ISSUER,
        audience: ORDERS,
        jwksUri: `${ISSUER}/jwks`,
        requireStatus: true,
        // As a balancer does: one copy after the other.
        fetch(url, init) {
          asked += 1
          return fetch(`${copies[asked % 2]?.base}${new URL(url).pathname}`, init)
        },
      })
    })
    after(async () => {
      // Killed already, unless a test failed before.
      providers?.[1].child.kill('SIGKILL')
      await providers?.[0].stop()
    })

    it('refused, also where the copy that took the end is killed right after its answer', async () => {
      const [one, other] = providers ?? expect.fail('no provider')
      const [token = '', bystander = ''] = await Promise.all(
        ['frank', 'grace'].map(async (userId) => {
          const { body } = await one.exchange(await one.subjectToken(userId))
          return String(JSON.parse(body).access_token)
        }),
      )
      expect(await verdict(api, token)).to.equal('frank')
      expect((await other.end('end', { userId: 'frank' })).body).to.equal('{"ended":1}')
      await other.kill()
      const until = performance.now() + PROMISE
      while ((await verdict(api, token)) === 'frank' && performance.now() < until) await wait(100)
      expect(await verdict(api, token)).to.equal(ENDED)
      expect(await verdict(api, bystander)).to.equal('grace')
    })
  })
})

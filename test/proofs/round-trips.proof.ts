import { expect } from 'chai'
import { withMembers } from '../adapters/with-members.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { FaultProxy } from './fault-proxy.ts'
import { type OpenStorage, openStorage } from './storage.ts'
import { onStores } from './stores.ts'

describe('round trips to the storage, counted on the wire', () => {
  onStores(['node-redis', 'ioredis', 'pg'], (store) => {
    // Clients write the commands that wait for nothing in one turn. In the process of the proxy, they
    // have all been sent when it reads the first. With the clock stopped, nothing is sent in the
    // background: counts of status lists, looks at abandoned marks.
    let clock: Disposable
    let proxy: FaultProxy
    let storage: OpenStorage
    let provider: Deployment
    let token: string
    let trips = 0
    const issue = async () => (await provider.issueBy(token)).body.subjectToken
    const exchange = async (subject_token: string) => {
      const { status, body } = await provider.exchange({ subject_token })
      return status === 200 ? 'a token' : body
    }

    before(async () => {
      const spec = store.spec()
      clock = stoppedClock()
      proxy = new FaultProxy(spec.location, store.driver === 'pg' ? 5432 : 6379)
      await proxy.listen()
      storage = await openStorage({ ...spec, location: proxy.through(spec.location) })
      const { adapter } = storage
      // Without followEnded, no provider reads ends as it starts.
      const still = (model: string) => withMembers(adapter(model), { followEnded: undefined })
      provider = await deploy({
        adapter: still,
        // After the answer, nothing is ended.
        impersonation: { ending: { onReplay: 'report' } },
      })
      token = await provider.m2mToken()
      // The first request of each kind prepares statements, loads scripts and begins a status list.
      expect(await exchange(await issue())).to.equal('a token')
      let replied = true
      proxy.watch = (data) => {
        if (data && replied) trips += 1
        replied = data === undefined
      }
    })
    beforeEach(() => {
      trips = 0
    })
    after(async () => {
      clock?.[Symbol.dispose]()
      await provider?.close()
      await storage?.close()
      await proxy?.close()
    })

    it('one to issue, and on Redis one before it for the look-ups', async () => {
      await issue()
      expect(trips).to.equal(store.driver === 'pg' ? 1 : 2)
    })

    it('a read, a claim and a look at the marks to exchange, and nothing else for a JWT', async () => {
      const subjectToken = await issue()
      trips = 0
      expect(await exchange(subjectToken)).to.equal('a token')
      expect(trips).to.equal(3)
    })

    it('one to refuse a token that is unknown or used', async () => {
      const subjectToken = await issue()
      await exchange(subjectToken)
      for (const refused of ['unknown', subjectToken]) {
        trips = 0
        expect(await exchange(refused)).to.deep.equal(REFUSED)
        expect(trips).to.equal(1)
      }
    })
  })
})

import { expect } from 'chai'
import {
  consumeOnceScript,
  joinScript,
  pageScript,
  upsertScript,
} from '../../src/adapters/redis/scripts.ts'
import { withMembers } from '../adapters/with-members.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { FaultProxy } from './fault-proxy.ts'
import { type OpenStorage, openStorage } from './storage.ts'
import { onStores } from './stores.ts'
import { postgresCommands, redisCommands } from './wire.ts'

const NAMES: Record<string, string> = {
  [`EVALSHA ${joinScript.sha}`]: 'look-up',
  [`EVALSHA ${upsertScript.sha}`]: 'write',
  [`EVALSHA ${consumeOnceScript.sha}`]: 'claim',
  [`EVALSHA ${pageScript.sha}`]: 'list of marks',
  HMGET: 'read',
  '': 'list of marks',
  _upsert: 'write',
  _find: 'read',
  _consumeOnce: 'claim',
  _upsertAll: 'write of several',
}

describe('round trips to the storage, counted on the wire', function () {
  this.timeout(120_000)

  onStores(['node-redis', 'ioredis', 'pg'], (store) => {
    const parse = store.driver === 'pg' ? postgresCommands : redisCommands
    // Clients write the commands that wait for nothing in one turn. In the process of the proxy, they
    // have all been sent when it reads the first. With the clock stopped, nothing is sent in the
    // background: counts of status lists, looks at abandoned marks.
    let clock: Disposable
    let proxy: FaultProxy
    let storage: OpenStorage
    let provider: Deployment
    let token: string
    /** The data sent before each reply of the server. */
    let trips: string[][] = []
    const issue = async () =>
      (await provider.issue({ userId: 'alice' }, { token })).body.subjectToken
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
      provider = await deploy({ configuration: { adapter: still } })
      token = await provider.m2mToken()
      // The first request of each kind prepares statements, loads scripts and begins a status list.
      expect(await exchange(await issue())).to.equal('a token')
      let replied = true
      proxy.watch = (data) => {
        if (data && replied) trips.push([])
        if (data) trips.at(-1)?.push(...parse(data).map((command) => NAMES[command] ?? command))
        replied = data === undefined
      }
    })
    beforeEach(() => {
      trips = []
    })
    after(async () => {
      clock?.[Symbol.dispose]()
      await provider?.close()
      await storage?.close()
      await proxy?.close()
    })

    it('one write to issue, and on Redis one of the look-ups before it', async () => {
      await issue()
      const lookUps = store.driver === 'pg' ? [] : [['look-up', 'look-up', 'look-up']]
      expect(trips).to.deep.equal([...lookUps, ['write']])
    })

    it('one read, one claim and one look at the marks to exchange, and nothing else for a JWT', async () => {
      const subjectToken = await issue()
      trips = []
      expect(await exchange(subjectToken)).to.equal('a token')
      expect(trips).to.deep.equal([['read'], ['claim'], ['list of marks']])
    })

    if (store.driver === 'pg') {
      it('less writes than subject tokens if fifty are issued at once', async () => {
        await Promise.all(Array.from({ length: 50 }, issue))
        const statements = trips.flat()
        expect(statements).to.include('write of several').and.to.have.length.below(50)
      })
    }

    it('one read to refuse a token that is unknown or used', async () => {
      const subjectToken = await issue()
      await exchange(subjectToken)
      trips = []
      expect(await exchange('unknown')).to.deep.equal(REFUSED)
      expect(await exchange(subjectToken)).to.deep.equal(REFUSED)
      // After the answer, what the first use got is ended.
      expect(trips.slice(0, 2)).to.deep.equal([['read'], ['read']])
    })
  })
})

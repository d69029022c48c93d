import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  consumeOnceScript,
  joinScript,
  pageScript,
  upsertScript,
} from '../../src/adapters/redis/scripts.ts'
import { FaultProxy } from './fault-proxy.ts'
import { type ProviderProcess, REFUSED, startProvider, succeeded } from './providers.ts'
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
    let proxy: FaultProxy
    let provider: ProviderProcess
    /** The data sent before each reply of the server. */
    let trips: string[][] = []

    before(async () => {
      const spec = store.spec()
      proxy = new FaultProxy(spec.location, store.driver === 'pg' ? 5432 : 6379)
      await proxy.listen()
      const location = proxy.through(spec.location)
      provider = await startProvider({ storage: { ...spec, location } })
      // the first request of each kind prepares statements, loads scripts and asks about eviction
      expect(await provider.exchange(await provider.subjectToken())).to.satisfy(succeeded)
      // and leases places in a status list, for many tokens
      await wait(500)
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
      await provider?.stop()
      await proxy?.close()
    })

    it('one write to issue, and on Redis one of the look-ups before it', async () => {
      await provider.subjectToken()
      const lookUps = store.driver === 'pg' ? [] : [['look-up', 'look-up', 'look-up']]
      expect(trips).to.deep.equal([...lookUps, ['write']])
    })

    it('one read, one claim and one look at the marks to exchange, and nothing else for a JWT', async () => {
      const token = await provider.subjectToken()
      trips = []
      expect(await provider.exchange(token)).to.satisfy(succeeded)
      expect(trips).to.deep.equal([['read'], ['claim'], ['list of marks']])
    })

    if (store.driver === 'pg') {
      it('less writes than subject tokens if fifty are issued at once', async () => {
        await provider.subjectTokens(50)
        const statements = trips.flat()
        expect(statements).to.include('write of several').and.to.have.length.below(50)
      })
    }

    it('one read to refuse a token that is unknown or used', async () => {
      const token = await provider.subjectToken()
      await provider.exchange(token)
      trips = []
      expect(await provider.exchange('unknown')).to.deep.equal(REFUSED)
      expect(await provider.exchange(token)).to.deep.equal(REFUSED)
      // After the answer, what the first use got is ended.
      expect(trips.slice(0, 2)).to.deep.equal([['read'], ['read']])
    })
  })
})

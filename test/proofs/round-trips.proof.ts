import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { consumeOnceScript, upsertScript } from '../../src/adapters/redis/scripts.ts'
import { FaultProxy } from './fault-proxy.ts'
import { type ProviderProcess, REFUSED, startProvider, succeeded } from './providers.ts'
import { onStores } from './stores.ts'
import { postgresCommands, redisCommands } from './wire.ts'

const NAMES: Record<string, string> = {
  [`EVALSHA ${upsertScript.sha}`]: 'write',
  [`EVALSHA ${consumeOnceScript.sha}`]: 'claim',
  HMGET: 'read',
  _upsert: 'write',
  _find: 'read',
  _consumeOnce: 'claim',
  _upsertAll: 'write of several',
  _findAll: 'read of several',
  _consumeOnceAll: 'claim of several',
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

    it('one write to issue', async () => {
      await provider.subjectToken()
      expect(trips).to.deep.equal([['write']])
    })

    it('one read and one claim to exchange, and nothing else for a JWT', async () => {
      const token = await provider.subjectToken()
      trips = []
      expect(await provider.exchange(token)).to.satisfy(succeeded)
      expect(trips).to.deep.equal([['read'], ['claim']])
    })

    if (store.driver === 'pg') {
      it('less than that for each of fifty at once: what comes in one turn is one statement', async () => {
        const tokens = await provider.subjectTokens(50)
        const answers = await Promise.all(tokens.map((token) => provider.exchange(token)))
        expect(answers.filter(succeeded)).to.have.length(50)
        const statements = trips.flat()
        for (const several of ['write of several', 'read of several', 'claim of several']) {
          expect(statements).to.include(several)
        }
        expect(statements).to.have.length.below(150)
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

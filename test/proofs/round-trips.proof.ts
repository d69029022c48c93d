import { expect } from 'chai'
import { claimScript, upsertScript } from '../../src/adapters/redis-scripts.ts'
import { FaultProxy } from './fault-proxy.ts'
import { type ProviderProcess, REFUSED, startProvider, succeeded } from './providers.ts'
import { onStores } from './stores.ts'
import { postgresCommands, redisCommands } from './wire.ts'

const NAMES: Record<string, string> = {
  [`EVALSHA ${upsertScript.sha}`]: 'write',
  [`EVALSHA ${claimScript.sha}`]: 'claim',
  HMGET: 'read',
  _upsert: 'write',
  _find: 'read',
  _consumeOnce: 'claim',
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

    it('one read to refuse a token that is unknown or used', async () => {
      const token = await provider.subjectToken()
      await provider.exchange(token)
      trips = []
      expect(await provider.exchange(token)).to.deep.equal(REFUSED)
      expect(await provider.exchange('unknown')).to.deep.equal(REFUSED)
      expect(trips).to.deep.equal([['read'], ['read']])
    })
  })
})

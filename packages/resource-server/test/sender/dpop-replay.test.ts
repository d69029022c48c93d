import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClient } from 'redis'
import { REDIS_URL, skipWithout } from '../../../../test/adapters/servers.ts'
import { shared } from '../../../../test/support/shared.ts'
import type { ReplayStore } from '../../src/index.ts'
import { expectRefused, trouble } from '../refusal.ts'
import { BASE, boundClient } from './bound-client.ts'

describe('the guard: one use of a DPoP proof (RFC 9449 §11.1)', () => {
  const client = shared(boundClient)

  describe('the store of used proofs can be injected', () => {
    it('it is asked for a hash, and for how long', async () => {
      const asked: Array<[string, number]> = []
      const replayStore = {
        async isFirstUse(id: string, expiresAt: number) {
          return asked.push([id, expiresAt]) === 1
        },
      }
      const guard = client.guardWith({ baseUrl: BASE, maxAge: 30, replayStore })
      const iat = Math.floor(Date.now() / 1000)
      const request = await client.proven({ iat, jti: 'the-jti' })
      await guard.authenticate(request)
      await expectRefused(guard.authenticate(request), { status: 401 })
      const [[id, expiresAt] = ['', 0], again] = asked
      expect(again).to.deep.equal([id, expiresAt])
      expect(id).to.match(/^[\w-]{43}$/)
      // The last moment at which the proof is young enough has passed by then.
      expect(expiresAt).to.equal(iat + 31)
    })

    it('its trouble is the trouble of the API: no 401, and nothing passes', async () => {
      const down = new Error('down')
      for (const isFirstUse of [
        () => {
          throw down
        },
        () => Promise.reject(down),
        () => undefined,
        () => Promise.resolve('OK'),
      ]) {
        const replayStore = { isFirstUse } as unknown as ReplayStore
        const guard = client.guardWith({ baseUrl: BASE, replayStore })
        await trouble(guard.authenticate(await client.proven()))
      }
    })
  })

  it('several processes that share a Redis: of twenty copies of a proof at once, one passes', async function () {
    await skipWithout(this, 'Redis')
    const prefix = `guard-test:${randomUUID()}:`
    const redis = await createClient({ url: REDIS_URL }).connect()
    try {
      // The line of the docstring.
      const replayStore: ReplayStore = {
        isFirstUse: async (id, expiresAt) => {
          const expiration = { type: 'EXAT', value: expiresAt } as const
          return (await redis.set(prefix + id, '1', { condition: 'NX', expiration })) === 'OK'
        },
      }
      const guards = [1, 2].map(() => client.guardWith({ baseUrl: BASE, replayStore }))
      const request = await client.proven()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          guards.map((api) =>
            api.authenticate(request).then(
              () => 'passed',
              ({ message }: Error) => message,
            ),
          ),
        ).flat(),
      )
      expect(answers.sort()).to.deep.equal([
        ...Array.from({ length: 19 }, () => 'DPoP proof was used before'),
        'passed',
      ])
      const [key = ''] = await redis.keys(`${prefix}*`)
      expect(await redis.ttl(key)).to.be.within(1, 62)
      await redis.del(key)
    } finally {
      redis.destroy()
    }
  })
})

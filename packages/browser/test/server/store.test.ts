import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { expectRejection, REDIS_URL, suiteOn } from '../../../../test/adapters/servers.ts'
import { movedClock } from '../../../console/test/e2e/support/moved-clock.ts'
import { memoryStore } from '../../src/server.ts'
import { type ServerSide, startServerSide } from '../support/server-side.ts'

describe('the store in memory', () => {
  it('gives a value until its time has passed', () => {
    const store = memoryStore()
    store.set('a', 'one', Date.now() + 1000)
    expect(store.get('a')).to.equal('one')
    store.set('b', 'one', Date.now() + 1000)
    expect([store.delete('b'), store.delete('b')]).to.deep.equal([true, false])
    using clock = movedClock()
    clock.by(1001)
    expect(store.get('a')).to.equal(undefined)
  })

  it('forgets what was begun before it forgets who acts, however much is begun', () => {
    const store = memoryStore()
    store.set('acting', 'olivia', Date.now() + 3_600_000)
    for (let round = 0; round < 1100; round += 1) {
      store.set(`begun-${round}`, '', Date.now() + 120_000)
    }
    expect(store.get('acting')).to.equal('olivia')
    expect(store.get('begun-0')).to.equal(undefined)
    expect(store.get('begun-1099')).to.equal('')
  })
})

/** The statuses of so many callbacks of one answer of the provider, at once. */
async function statusesOf(count: number, side: ServerSide): Promise<number[]> {
  const olivia = await side.operator()
  const callback = await olivia.callbackOf()
  const headers = { cookie: olivia.cookie }
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      side.impersonations.accept(new Request(callback, { headers })),
    ),
  )
  return answers.map(({ status }) => status)
}

describe('a store of the application', () => {
  for (const answer of [false, 0, undefined] as const) {
    it(`stops the second of two callbacks, where delete answers ${answer}`, async () => {
      const store = memoryStore()
      await using side = await startServerSide({
        store: {
          ...store,
          delete: (id) => (store.delete(id) === true && answer !== undefined ? 1 : answer),
        },
      })
      expect(await statusesOf(2, side)).to.have.members([303, 400])
    })
  }

  it('may keep values too long: what is too old is not read', async () => {
    const values = new Map<string, string>()
    await using side = await startServerSide({
      store: {
        get: (id) => values.get(id),
        set: (id, value) => values.set(id, value),
        delete: (id) => values.delete(id),
      },
    })
    const olivia = await side.operator()
    const callback = await olivia.callbackOf()
    using clock = movedClock()
    clock.by(121_000)
    expect(await (await olivia.get(callback)).text()).to.include('Nothing was begun')
    await olivia.handOver()
    clock.by(3_601_000)
    expect((await olivia.current())?.state).to.equal('expired')
    clock.by(3_600_000)
    expect(await olivia.current()).to.equal(undefined)
  })

  it('that fails is not taken for one that is empty', async () => {
    const store = memoryStore()
    let fails = false
    await using side = await startServerSide({
      store: {
        ...store,
        async get(id) {
          if (fails) throw new Error('no connection')
          return store.get(id)
        },
      },
    })
    const olivia = await side.operator()
    await olivia.handOver()
    fails = true
    for (const call of [() => olivia.current(), () => olivia.end()]) {
      await expectRejection(call(), 'no connection')
    }
    fails = false
    expect((await olivia.current())?.state).to.equal('active')
  })
})

const suite = await suiteOn('Redis')

suite('a store in Redis', () => {
  it('lets one of three callbacks through that come in the same moment', async () => {
    const redis = new Redis(REDIS_URL)
    const run = randomUUID()
    const key = (id: string) => `${run}:${id}`
    try {
      await using side = await startServerSide({
        store: {
          get: (id) => redis.get(key(id)),
          set: (id, value, expiresAtMs) => redis.set(key(id), value, 'PXAT', expiresAtMs),
          delete: (id) => redis.del(key(id)),
        },
      })
      expect(await statusesOf(3, side)).to.have.members([303, 400, 400])
      const olivia = await side.operator()
      await olivia.handOver()
      expect((await olivia.current())?.userId).to.equal('alice')
      await olivia.end()
      expect(await olivia.current()).to.equal(undefined)
    } finally {
      await redis.quit()
    }
  })
})

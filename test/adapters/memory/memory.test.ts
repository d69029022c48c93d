import { expect } from 'chai'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { createMemoryAdapter } from '../../../src/adapters/memory.ts'

describe('createMemoryAdapter', () => {
  let clock = 1_700_000_000_000
  adapterContract({
    describe,
    it,
    create: () => createMemoryAdapter({ now: () => clock }),
    advance: (seconds) => {
      clock += seconds * 1000
    },
  })

  let time: number
  let factory: ReturnType<typeof createMemoryAdapter>

  beforeEach(() => {
    time = 1_700_000_000_000
    factory = createMemoryAdapter({ now: () => time })
  })

  it('keeps a record to the last millisecond and not longer', async () => {
    const adapter = factory('SubjectToken')
    await adapter.upsert('a', { jti: 'a' }, 60)
    time += 59_999
    expect(await adapter.find('a')).to.deep.equal({ jti: 'a' })
    time += 1
    expect(await adapter.find('a')).to.equal(undefined)
    expect(await adapter.consumeOnce('a')).to.equal(false)
  })

  it('gives out copies of a subject token and keeps a copy', async () => {
    const adapter = factory('SubjectToken')
    const payload = { jti: 'a', accountId: 'alice', iat: 1_700_000_000, binding: '{}', first: true }
    const stored = { ...payload }
    await adapter.upsert('a', payload, 60)
    payload.accountId = 'changed after upsert'

    const found = await adapter.find('a')
    const [listed] = await adapter.list({ accountId: 'alice' }, 1)
    expect([found, listed]).to.deep.equal([stored, stored])
    for (const copy of [found, listed]) Object.assign(copy ?? {}, { accountId: 'changed by find' })
    expect(await adapter.find('a')).to.deep.equal(stored)
    await adapter.consumeOnce('a', { actor: 'olivia' })
    expect(await adapter.find('a')).to.deep.equal({
      ...stored,
      consumed: 1_700_000_000,
      note: { actor: 'olivia' },
    })
  })

  it('keeps of a subject token what JSON has, and as JSON has it', async () => {
    const payloads = [
      { jti: 'a', absent: undefined },
      { jti: 'a', number: Number.NaN },
      { jti: 'a', at: new Date(0) },
      { jti: 'a', nested: { list: [{ deep: 1 }] } },
      { jti: 'a', nothing: null },
      JSON.parse('{"jti":"a","__proto__":"kept"}'),
      Object.assign(Object.create({ inherited: 'no' }), { jti: 'a' }),
    ]
    for (const payload of payloads) {
      await factory('SubjectToken').upsert('a', payload, 60)
      const found = await factory('SubjectToken').find('a')
      expect(found).to.deep.equal(JSON.parse(JSON.stringify(payload)))
    }
  })

  it('removes expired records as it is written to: at most half as many again stay', async () => {
    const adapter = factory('AccessToken')
    // one write a second with a life of 100 s: 100 are alive at any time
    for (let i = 0; i < 2000; i += 1) {
      await adapter.upsert(`id-${i}`, { grantId: `g-${i}` }, 100)
      time += 1000
    }
    expect(await factory.deleteExpired()).to.be.at.most(50)
    time += 100_000
    expect(await factory.deleteExpired()).to.equal(99)
    expect(await factory.deleteExpired()).to.equal(0)
  })
})

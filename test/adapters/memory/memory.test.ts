import { expect } from 'chai'
import { Provider } from 'oidc-provider'
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

  it('lets exactly one of a hundred callers have a record', async () => {
    const adapter = factory('SubjectToken')
    await adapter.upsert('a', { jti: 'a' }, 60)

    const claims = await Promise.all(Array.from({ length: 100 }, () => adapter.consumeOnce('a')))

    expect(claims.filter(Boolean)).to.deep.equal([true])
    expect(await adapter.find('a')).to.deep.equal({ jti: 'a', consumed: 1_700_000_000 })
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

  it('keeps more than a thousand records, and each its whole life', async () => {
    const adapter = factory('SubjectToken')
    for (let i = 0; i < 5000; i += 1) await adapter.upsert(`id-${i}`, { jti: `id-${i}` }, 60)
    time += 59_000
    for (let i = 0; i < 5000; i += 1) {
      expect(await adapter.find(`id-${i}`)).to.deep.equal({ jti: `id-${i}` })
    }
  })

  it('gives out copies and keeps a copy', async () => {
    const adapter = factory('Interaction')
    const params = { prompt: 'login' }
    await adapter.upsert('a', { params }, 60)
    params.prompt = 'changed after upsert'

    const found = await adapter.find('a')
    expect(found).to.deep.equal({ params: { prompt: 'login' } })
    Object.assign(found?.params ?? {}, { prompt: 'changed after find' })
    expect(await adapter.find('a')).to.deep.equal({ params: { prompt: 'login' } })
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

  it('shares a store between adapters of one factory, and nothing between factories', async () => {
    await factory('Session').upsert('a', { uid: 'u' }, 60)
    expect(await factory('Session').findByUid('u')).to.deep.equal({ uid: 'u' })
    expect(await createMemoryAdapter()('Session').find('a')).to.equal(undefined)
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

  it('removes the old indices when a record is replaced', async () => {
    const adapter = factory('DeviceCode')
    await adapter.upsert('a', { userCode: 'OLD', grantId: 'g1' }, 60)
    await adapter.upsert('a', { userCode: 'NEW', grantId: 'g2' }, 60)

    expect(await adapter.findByUserCode('OLD')).to.equal(undefined)
    await adapter.revokeByGrantId('g1')
    expect(await adapter.findByUserCode('NEW')).to.deep.equal({ userCode: 'NEW', grantId: 'g2' })
    await adapter.revokeByGrantId('g2')
    expect(await adapter.find('a')).to.equal(undefined)
  })

  it('is an adapter that oidc-provider accepts and uses', async () => {
    const provider = new Provider('https://id.example.com', { adapter: factory })
    const grant = new provider.Grant({ accountId: 'user', clientId: 'client' })
    const id = await grant.save()

    expect(await factory('Grant').find(id)).to.include({ accountId: 'user', jti: id })
  })
})

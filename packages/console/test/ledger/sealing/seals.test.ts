import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { sealInJws } from 'oidc-provider-impersonation-verify/chain'
import { marks } from '../../../src/ledger/sealing/marks.ts'
import { startSeals } from '../../../src/ledger/sealing/seals.ts'
import { deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  batchOf,
  decoded,
  exported,
  issued,
  MARKS,
  put,
  readOn,
  rejection,
  SECRET,
  T,
  used,
  writeNow,
} from '../stores/contract/support.ts'
import { sealsOf } from './seals-of.ts'

const sealed = async (store: ReturnType<typeof memoryAudit>) =>
  (await store.seals(99)).toReversed().map((jws) => sealInJws(jws))

describe('the seals of the audit', () => {
  it('cover what is new, one after the other, and nothing where nothing is', async () => {
    const store = memoryAudit({ keepFor: 60 })
    const { seals } = await sealsOf(store, { now: () => T + 100_000 })
    await seals.seal()
    expect(await store.seals(9)).to.deep.equal([])
    await put(store, issued('a', T), exported(T))
    await seals.seal()
    await seals.seal()
    await put(store, used('a', T + 1))
    await seals.seal()
    await seals.seal(true)
    expect(
      (await sealed(store)).map((seal) => [seal?.number, seal?.last, seal?.count]),
    ).to.deep.equal([
      [1, 2, 2],
      [2, 3, 1],
      [3, 3, 0],
    ])
    expect((await sealed(store))[0]).to.include({ time: T + 100_000, before: T + 40_000 })
  })

  it('are made once of two processes at the same time, and nothing is left out', async () => {
    const store = memoryAudit()
    const [one, two] = [await sealsOf(store), await sealsOf(store)]
    for (let round = 0; round < 10; round += 1) {
      await put(store, used('a', T + round))
      await Promise.all([one.seals.seal(), two.seals.seal()])
    }
    const all = await sealed(store)
    expect(all.map((seal) => seal?.number)).to.deep.equal(all.map((_, index) => index + 1))
    expect(all.reduce((sum, seal) => sum + (seal?.count ?? 0), 0)).to.equal(10)
  })

  it('leave out what was put into the storage, and one alarm says so', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T))
    const foreign = await batchOf(store, used('a', T + 1))
    const [entry] = foreign.entries
    if (!entry) return expect.fail()
    await writeNow(store, { entries: [{ ...entry, mac: 'x'.repeat(22) }], sums: [], slots: [] })
    const processes = [await sealsOf(store), await sealsOf(store)]
    const { stderr } = await quietly(async () => {
      for (const { seals } of processes) await seals.seal()
      for (const { seals } of processes) await seals.seal()
    })
    expect(stderr.join()).to.include('entry 2 was not written by the audit')
    const stored = decoded(await readOn(store))
    expect(stored.map((each) => each?.event)).to.deep.equal([
      ...['impersonation.issued', 'impersonation.used', 'support.mislabelled'],
    ])
    const { rows } = await store.find({ alarm: 'open' }, { limit: 9, now: T })
    expect(rows.map(({ alarm }) => alarm?.kinds)).to.deep.equal([['tampered']])
    expect((await sealed(store)).map((seal) => [seal?.last, seal?.count])).to.deep.equal([
      ...[
        [2, 1],
        [3, 1],
      ],
    ])
  })

  it('say that no key signs, and are made once one does', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T))
    const keyless = async () => {
      throw new Error('no key in jwks can sign')
    }
    const { seals } = await sealsOf(store, { sign: keyless })
    const { stderr } = await quietly(() => seals.seal())
    expect(stderr).to.deep.equal([
      'audit: new entries are not sealed, until it works: no key in jwks can sign',
    ])
    expect(await rejection(seals.assertSigns())).to.match(/no key/)
    await (await sealsOf(store)).seals.seal()
    expect(await sealed(store)).to.have.length(1)
  })

  it('are made at the end of the process', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T))
    const { seals } = await sealsOf(store)
    await seals.stop()
    expect(await sealed(store)).to.have.length(1)
  })

  it('hold up no start, no decision and no end, however long a signature takes', async () => {
    await using deployment = await deploy()
    const { audit, provider } = deployment
    const hanging = startSeals({
      ...{ store: audit, marks: { isRight: () => true }, recordSurely: async () => {} },
      sign: () => wait(10_000, 'late', { ref: false }),
      isTimed: false,
    })
    await deployment.impersonate()
    await deployment.settled()
    const sealing = hanging.seal()
    await wait(5)
    const began = performance.now()
    const running = await deployment.impersonate({ customer: 'bob' })
    await running.end()
    expect(await provider.impersonation.get(running.id)).to.include({ state: 'ended' })
    expect(performance.now() - began).to.be.below(5000)
    void sealing
  })
})

describe('what marks an entry until it is sealed', () => {
  it('is right by the keys that processes share, and by no other', () => {
    const mark = MARKS.markOf('digest')
    expect(marks(SECRET).isRight('digest', mark)).to.equal(true)
    expect(MARKS.isRight('another', mark)).to.equal(false)
    expect(MARKS.isRight('digest', '')).to.equal(false)
    expect(marks('another secret, as long as it has to be').isRight('digest', mark)).to.equal(false)
  })

  it('is made of the keys of the provider where there is no secret, and by none before', async () => {
    await using deployment = await deploy()
    const [one, two] = [marks(undefined), marks(undefined)]
    expect(() => one.markOf('digest')).to.throw('belongs to no provider')
    for (const each of [one, two]) each.attach(deployment.provider)
    expect(two.isRight('digest', one.markOf('digest'))).to.equal(true)
  })
})

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLocalJWKSet, type JWK } from 'jose'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { sealHashOf, sealInJws } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { renewed } from '../../../../../test/support/shared.ts'
import { newEntryId, pendingOf } from '../../../src/ledger/recording/compose.ts'
import { ledgerOf } from '../../../src/ledger/recording/ledger.ts'
import { auditLog } from '../../../src/ledger/recording/log.ts'
import { marks } from '../../../src/ledger/sealing/marks.ts'
import { type Sign, startSeals } from '../../../src/ledger/sealing/seals.ts'
import type { AuditStore, Batch } from '../../../src/ledger/store.ts'
import { findInForce } from '../../../src/records/in-force.ts'
import { deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { providerAt, signingKey } from '../../support/provider-at.ts'
import { quietly } from '../../support/quietly.ts'
import { asked, broken, decided, linesOfExport, verified } from '../../verify/history.ts'
import { storages } from '../../verify/storages.ts'
import {
  batchOf,
  decoded,
  exported,
  idOf,
  issued,
  MARKS,
  many,
  NO_END,
  put,
  readOn,
  rejection,
  T,
  used,
} from '../stores/contract/support.ts'
import { ISSUER, sealsOf, signer } from './seals-of.ts'

const sealed = async (store: AuditStore) =>
  (await store.seals(99)).toReversed().map((jws) => sealInJws(jws))

/** Of each seal, the last entry and how many. */
const coveredIn = async (store: AuditStore) =>
  (await sealed(store)).map((seal) => [seal?.last, seal?.count])

const foreignMarks = marks([[Buffer.from('a key of somebody else')]])
const shared = signingKey('shared').then((key) => [key])

/** A process of the deployment, with keys of its own. */
async function processOn(
  store: AuditStore,
  { keys, cookieKey }: { keys: JWK[]; cookieKey: string },
) {
  const provider = await providerAt(ISSUER, keys, { cookieKey })
  const marked = marks()
  marked.attach(provider)
  const log = auditLog(store, marked)
  const sign: Sign = (claims) => signCheckpoint(provider, claims)
  const recordSurely = async (entry: AuditEntry, id = newEntryId()) => {
    await log.append([{ id, entry }], NO_END)
  }
  const sealing = { marks: marked, sign, recordSurely }
  const record = (entry: AuditEntry) => log.append([pendingOf(entry)], NO_END)
  return {
    seals: sealsOf(store, sealing),
    record,
    sealing,
    keys: keys.map(({ d: _, ...key }) => key),
  }
}

describe('the seals of the audit', () => {
  it('cover what is new, one after the other, and nothing where nothing is', async () => {
    const store = memoryAudit({ keepFor: 60 })
    const seals = sealsOf(store, { now: () => T + 100_000 })
    await seals.seal()
    expect(await store.seals(9)).to.deep.equal([])
    await put(store, issued('a', T), exported(T))
    await seals.seal()
    await seals.seal()
    await put(store, used('a', T + 1))
    await seals.seal()
    await seals.seal(true)
    expect(await coveredIn(store)).to.deep.equal([
      [2, 2],
      [3, 1],
      [3, 0],
    ])
    const [first] = await sealed(store)
    expect(first).to.include({ number: 1, time: T + 100_000, before: T + 40_000 })
  })

  it('cover a thousand entries each, also where somebody put in as many', async () => {
    const store = memoryAudit()
    await put(store, ...many(1001, (index) => exported(T + index)))
    const foreign = new Set((await store.entries({ limit: 1000 })).map(({ digest }) => digest))
    const seals = sealsOf(store, {
      marks: {
        ...MARKS,
        isRight: (text, mac) => !foreign.has(text) && MARKS.isRight(text, mac),
      },
      async recordSurely() {},
    })
    await quietly(() => seals.seal())
    expect(await coveredIn(store)).to.deep.equal([
      [1000, 0],
      [1001, 1],
    ])
  })

  it('are made once of two processes at the same time, and nothing is left out', async () => {
    const store = memoryAudit()
    const [one, two] = [sealsOf(store), sealsOf(store)]
    for (let round = 0; round < 10; round += 1) {
      await put(store, used('a', T + round))
      await Promise.all([one.seal(), two.seal()])
    }
    const all = await sealed(store)
    expect(all.map((seal) => seal?.number)).to.deep.equal(all.map((_, index) => index + 1))
    expect(all.reduce((sum, seal) => sum + (seal?.count ?? 0), 0)).to.equal(10)
  })

  it('say that no key signs, and are made once one does', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T))
    const keyless = async () => {
      throw new Error('no key in jwks can sign')
    }
    const seals = sealsOf(store, { sign: keyless })
    const { stderr } = await quietly(() => seals.seal())
    expect(stderr).to.deep.equal([
      'audit: new entries are not sealed, until it works: no key in jwks can sign',
    ])
    expect(await rejection(seals.assertSeals())).to.match(/no key/)
    await sealsOf(store).seal()
    expect(await sealed(store)).to.have.length(1)
  })

  it('hold up no start, no decision and no end, however long a signature takes', async () => {
    await using deployment = await deploy()
    const { audit, provider } = deployment
    const hanging = startSeals({
      ...{ store: audit, marks: MARKS, recordSurely: async () => {} },
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

for (const { name, create, suite } of storages) {
  suite(`what SQL alone puts into the audit, in ${name},`, () => {
    const storage = renewed(create)

    const alarms = async () =>
      decoded(await readOn(storage.store)).flatMap((each) =>
        each?.event === 'support.mislabelled' ? (each.note ?? '') : [],
      )
    const addEntry = (
      number: number,
      { digest = '', text = '{}' }: Partial<Batch['entries'][number]> = {},
      mac = foreignMarks.markOf(digest),
    ) =>
      storage.run(
        'INSERT INTO impersonation_audit_entry (number, digest, text, mac) VALUES (?, ?, ?, ?)',
        ...[number, digest, text, mac],
      )
    const addSeal = (number: number, last: number, jws: string) =>
      storage.run('INSERT INTO impersonation_audit_seal VALUES (?, ?, ?, ?)', number, last, jws, '')

    it('after the newest seal, garbage: check() and one alarm say so, and sealing goes on', async () => {
      const { store } = storage
      const seals = sealsOf(store)
      await put(store, issued('a', T))
      await seals.seal()
      const [good = ''] = await store.seals(1)
      const { sign } = await signer()
      const hash = sealHashOf(sealInJws(good)?.hash ?? '', 'root')
      const never = { time: T, count: 1, root: 'root', hash, before: 0 }
      await addSeal(2, 1e9, await sign({ ...never, number: 2, last: 1e9 }))
      await addSeal(3, 1, good)
      await addSeal(9e15, 9e15, 'é'.repeat(22))
      const says = 'the seal 9000000000000000 was not written by the audit: somebody changed'
      expect(await rejection(seals.assertSeals())).to.match(new RegExp(says))
      await put(store, used('a', T + 1))
      const { stderr } = await quietly(() => seals.seal())
      expect(stderr.join()).to.include(says)
      await seals.assertSeals()
      expect(await coveredIn(store)).to.deep.equal([
        [1, 1],
        [5, 4],
      ])
      expect(await alarms()).to.deep.equal(
        [9e15, 3, 2].map((number) => `the seal ${number} was not written by the audit`),
      )
      expect(await verified(await linesOfExport(store, { now: T }))).to.include({ rows: 4 })
    })

    it('before the first seal, a seal of a foreign key: one alarm says so, and it stays', async () => {
      const { store } = storage
      await put(store, issued('a', T))
      const { sign } = await signer({ kid: 'foreign' })
      await sealsOf(store, { sign, marks: { ...foreignMarks, isRight: () => true } }).seal()
      const seals = sealsOf(store)
      await quietly(() => seals.seal())
      await seals.seal()
      expect(await alarms()).to.deep.equal(['the seal 1 was not written by the audit'])
      const found = await verified(await linesOfExport(store, { now: T }))
      expect(found).to.include({ seals: 3, unknown: 1 })
    })

    it('an entry without a digest, or with a mark that is none: one alarm for each', async () => {
      const { store } = storage
      await put(store, issued('a', T), exported(T))
      const [one, other] = (await batchOf(store, used('a', T + 1), used('b', T))).entries
      await addEntry(3, one, 'é'.repeat(22))
      await addEntry(4, { digest: other?.digest.replace('.', ':') ?? '' })
      const processes = [sealsOf(store), sealsOf(store)]
      await quietly(async () => {
        for (const seals of [...processes, ...processes]) await seals.seal()
      })
      expect(await coveredIn(store)).to.deep.equal([
        [4, 2],
        [6, 2],
      ])
      expect(await store.row(idOf('a'))).to.include({ reads: 0 })
      expect(await alarms()).to.have.length(2)
      const { rows } = await store.find({ alarm: 'open' }, { limit: 9, now: T })
      expect(rows.map(({ alarm }) => alarm?.kinds)).to.deep.equal([['tampered'], ['tampered']])
    })

    it('a permit that says more than its entries, or an entry of one: nobody starts by it', async () => {
      const { store, marks: own } = ledgerOf(storage.store)
      own.attach(await providerAt(ISSUER, await shared))
      const states = async () => {
        let found: Awaited<ReturnType<typeof findInForce>>['permits'] = []
        await quietly(async () => {
          found = (await findInForce(store, ['olivia'], 'alice', T + 10)).permits
        })
        return Object.fromEntries(found.map(({ id, state }) => [id, state]))
      }
      const [open, right] = [idOf('open'), idOf('right')]
      await put(store, asked('open', T), asked('right', T), decided('granted', 'right', T + 1))
      expect(await states()).to.deep.equal({ [right]: 'granted' })

      const [forged] = (await batchOf(store, decided('granted', 'open', T + 2))).entries
      await storage.change('record', open, (sum) => ({
        ...sum,
        state: 'granted',
        overAt: T + 9e6,
        data: JSON.stringify({ ...JSON.parse(sum.data), state: 'granted', until: T + 9e6 }),
      }))
      expect(await states()).to.deep.equal({ [right]: 'granted', [open]: 'requested' })

      await addEntry(4, forged)
      expect(await states()).to.deep.equal({ [right]: 'granted' })

      const text = `UPDATE impersonation_audit_entry SET text = '{}' WHERE number = 3`
      await storage.run(text)
      expect(await states()).to.deep.equal({})
    })

    for (const [replaced, of] of Object.entries({
      'signing keys': async () => ({ keys: [await signingKey(randomUUID())], cookieKey: 'test' }),
      'cookie keys': async () => ({ keys: await shared, cookieKey: randomUUID() }),
    })) {
      it(`beside two processes that have no ${replaced} in common: they seal all but that`, async () => {
        const { store } = storage
        const [one, two] = [await processOn(store, await of()), await processOn(store, await of())]
        const both = [one, two]
        const { stderr } = await quietly(async () => {
          for (let round = 0; round < 6; round += 1) {
            for (const { record } of both) {
              await record(issued(`${round}`, T))
              await record(used(`${round}`, T + 1))
            }
            await both[round % 2]?.seals.seal()
          }
          await one.record(used('5', T + 2))
          await one.seals.stop()
        })
        expect((await sealed(store)).at(-1), 'at the end').to.include({ last: 25 })
        expect(stderr).to.deep.equal([])
        expect(await alarms()).to.deep.equal([])
        const known = new Map(both.flatMap((each) => each.keys).map((key) => [key.kid, key]))
        const keys = createLocalJWKSet({ keys: [...known.values()] })
        const exporting = { now: T, ...two.sealing }
        const found = await verified(await linesOfExport(store, exporting), { keys })
        expect(found).to.deep.include({
          entries: 25,
          rows: 6,
          unsealed: { count: 0, since: undefined },
        })

        const [entry] = (await batchOf(store, used('5', T + 3))).entries
        await addEntry(26, entry)
        await two.record(used('5', T + 4))
        await quietly(() => two.seals.seal())
        expect(await store.row(idOf('5'))).to.include({ reads: 4 })
        expect(await alarms()).to.deep.equal(['the entry 26 was not written by the audit'])
        expect((await sealed(store)).at(-1)).to.include({ last: 27, count: 1 })
        const { message } = await broken(await linesOfExport(store, exporting), { keys })
        expect(message).to.include('its reads is not what its entries say')
      })
    }
  })
}

describe('what marks an entry until it is sealed', () => {
  it('is made of the keys of the provider, and by none before', async () => {
    await using deployment = await deploy()
    const [one, two] = [marks(), marks()]
    expect(() => one.markOf('digest')).to.throw('belongs to no provider')
    for (const each of [one, two]) each.attach(deployment.provider)
    expect(two.isRight('digest', one.markOf('digest'))).to.equal(true)
    expect(two.isRight('another', one.markOf('digest'))).to.equal(false)
  })
})

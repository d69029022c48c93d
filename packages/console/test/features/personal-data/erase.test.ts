import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { storable } from '../../../../verify/src/chain.ts'
import { InForceError } from '../../../src/features/personal-data/server/in-force.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import {
  act,
  found,
  idOf,
  interceptCalls,
  issued,
  many,
  readOn,
  rejection,
  replayed,
  started,
  used,
} from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { onEachStorage } from '../../verify/storages.ts'
import {
  AGO,
  approved,
  expectErased,
  expectRows,
  over,
  paused,
  permit,
  processOn,
  requested,
  resumed,
  silence,
  verified,
} from './person.ts'

/** Ids that are easily taken for each other, or for something else. */
const HOSTILE = [
  'alice',
  'alice2',
  'alic',
  "al'ice",
  'al"ice',
  '%',
  '_lice',
  'a\ud800',
  'a\udfff',
  'a\ufffd',
  'a\0',
  '*',
  '__proto__',
  `${'x'.repeat(400)}1`,
  `${'x'.repeat(400)}2`,
]

const idsOf = async (store: AuditStore, customer: string) =>
  (await found(store, { customer }, { limit: 50 }))
    .filter((row) => row.customer?.id === storable(customer))
    .map(({ id }) => id)

/** Records as many impersonations of one person, exports them, and erases them. */
async function expectManyErased(store: AuditStore, impersonations: number) {
  const one = processOn(store)
  for (let at = 0; at < impersonations; at += 100) {
    const names = many(100, (index) => `${at + index}`)
    await one.record(...names.flatMap((each) => over(each, 'alice')))
  }
  const lines = (await text(one.exportOf('alice'))).trimEnd().split('\n')
  expect(lines).to.have.length(impersonations)
  await expectErased(one, 'alice', impersonations)
  expect(await idsOf(store, 'alice')).to.deep.equal([])
  expect((await verified(store)).erased).to.deep.equal({
    entries: 4 * impersonations,
    subjects: impersonations,
  })
  await one.close()
}

describe('the data of one person', function () {
  this.timeout(120_000)
  silence()

  onEachStorage(
    'is exported, and erased with their permits, and nothing of others',
    async ({ store }) => {
      const one = processOn(store)
      for (const [index, id] of HOSTILE.entries()) {
        await one.record(...over(`${index} a`, id), ...over(`${index} b`, id))
        await permit(store, `${index} p`, requested(id))
      }
      for (const [index, id] of HOSTILE.entries()) {
        const lines = (await text(one.exportOf(id))).trimEnd().split('\n')
        const all = lines.map((line) => JSON.parse(line))
        expect(all, id).to.have.length(3)
        expect(all.map(({ entries }) => entries.length)).to.deep.equal([4, 4, 1])
        expect(all[0].customer).to.include({ id: storable(id), name: 'Zoë Muster' })
        expect(all[2].permit.customer).to.deep.equal({ id: storable(id) })
        await expectErased(one, id, 2, 1)
        expect(await idsOf(store, id)).to.deep.equal([])
        expect((await found(store, { text: 'zoe' }, { limit: 50 })).length).to.equal(
          2 * (HOSTILE.length - index - 1),
        )
        expect(await store.permit(idOf(`${index} p`))).to.equal(undefined)
        expect(await text(one.exportOf(id))).to.equal('')
        await expectErased(one, id, 0)
      }
      await one.close()
      const left = (await readOn(store)).flatMap(({ text }) => text ?? [])
      const events = left.map((text): AuditEntry => JSON.parse(text))
      expect(new Set(events.map(({ event }) => event))).to.deep.equal(
        new Set(['support.erased', 'support.exported']),
      )
      expect(left.join('\n')).not.to.match(/"alic|zoe@|Muster|xxxxx/)
      const count = HOSTILE.length
      expect(await verified(store)).to.deep.include({
        rows: 0,
        permits: 0,
        unprovedRows: 0,
        removed: 9 * count,
        erased: { entries: 9 * count, subjects: 3 * count },
      })
    },
  )

  onEachStorage(
    'stays as it was while anything of it is in force, and the error names that',
    async ({ store }) => {
      const one = processOn(store, { isKept: async (id) => id === idOf('kept') })
      const now = Date.now()
      await one.record(...over('over', 'alice'), ...over('kept', 'alice'))
      await one.record(...over('held', 'alice'), act('held', 'held', AGO + 9))
      await one.record(started('running', now), issued('waiting', now))
      await one.record(...over('alarm', 'alice'), replayed('alarm', AGO + 9))
      await permit(store, 'asked', requested('alice', now))
      await permit(store, 'granted', requested('alice', now), approved(now))
      await permit(store, 'over permit', requested('alice'), approved())
      const review: Partial<AuditEntry> = { ...requested('alice'), event: 'support.emergency' }
      await permit(store, 'review', review)
      await permit(store, 'paused', paused('alice'))
      await permit(store, 'lifted', paused('alice', 'oscar'), resumed('alice', 'oscar'))
      const before = await readOn(store)
      const error = await rejection(one.erase('alice'))
      if (!(error instanceof InForceError)) return expect.fail(String(error))
      const whys = { kept: 'kept', held: 'held', running: 'running', waiting: 'running' }
      const all = { ...whys, alarm: 'alarm', paused: 'stop' }
      const permits = { asked: 'permit', granted: 'permit', review: 'permit' }
      expect(Object.fromEntries(error.inForce.map(({ id, why }) => [id, why]))).to.deep.equal(
        Object.fromEntries(
          Object.entries({ ...all, ...permits }).map(([name, why]) => [idOf(name), why]),
        ),
      )
      expect(error.message).to.contain(`impersonation ${idOf('held')} (held)`)
      expect(await readOn(store)).to.deep.equal(before)
      await one.close()
    },
  )

  onEachStorage(
    'pauses are erased once they are lifted, or the account is gone',
    async ({ store }) => {
      await permit(store, 'lifted', paused('alice'), resumed('alice'))
      await permit(store, 'of another', paused('bea'))
      const one = processOn(store)
      await expectErased(one, 'alice', 0, 1)
      expect(String(await rejection(one.erase('bea')))).to.contain('(stop)')
      await one.close()
      const gone = processOn(store, { hasAccount: async () => false })
      await expectErased(gone, 'bea', 0, 1)
      await gone.close()
      expect((await readOn(store)).flatMap(({ text }) => text ?? []).join()).not.to.contain('bea')
      expect(await verified(store)).to.deep.include({
        permits: 0,
        erased: { entries: 3, subjects: 2 },
      })
    },
  )

  onEachStorage(
    'is erased to the end by another call, where the first was interrupted',
    async ({ store }) => {
      let calls = 0
      const breaking = interceptCalls(store, 'remove', () => {
        calls += 1
        if (calls > 3) throw new Error('the process is gone')
      })
      const one = processOn(breaking)
      for (let index = 0; index < 8; index += 1) await one.record(...over(`${index}`, 'alice'))
      expect(await rejection(one.erase('alice'))).to.be.an('error')
      await one.close()
      expect(await idsOf(store, 'alice')).to.have.length(5)
      await expectRows(store, 5, { erased: { entries: 12, subjects: 3 } })
      const two = processOn(store)
      await expectErased(two, 'alice', 5)
      await two.close()
      expect(await verified(store)).to.deep.include({
        rows: 0,
        erased: { entries: 32, subjects: 8 },
      })
    },
  )

  onEachStorage(
    'is erased while others record more of it, and what comes later is kept',
    async ({ store }) => {
      const [one, two] = [processOn(store), processOn(store)]
      const names = many(10, (index) => `${index}`)
      for (const each of names) await one.record(...over(each, 'alice'))
      let isOver = false
      const writing = (async () => {
        for (let round = 0; !isOver; round += 1) {
          for (const each of names) await two.record(used(each, AGO + 100 + round))
          await nextTurn()
        }
        await two.record(...names.map((each) => used(each, Date.now())))
      })()
      await one.record(used('0', AGO + 50))
      const erased = await one.erase('alice').finally(() => {
        isOver = true
      })
      await writing
      expect(erased.impersonations).to.equal(10)
      for (const each of names) {
        const row = await store.row(idOf(each))
        const all = await store.timeline(idOf(each), { limit: 1000 })
        const timeline = all.filter(({ text }) => text !== undefined)
        expect(timeline.every(({ text }) => text?.includes('"impersonation.used"'))).to.equal(true)
        expect(row?.reads).to.equal(timeline.length)
      }
      await expectRows(store, 10)
      // A row that an API told of later has no end: it began by that request, and is over.
      await one.erase('alice')
      expect(await idsOf(store, 'alice')).to.deep.equal([])
      await expectRows(store, 0)
      for (const each of [one, two]) await each.close()
    },
  )

  onEachStorage('may be more impersonations than one entry names', ({ store }) =>
    expectManyErased(store, 600),
  )

  it('may be more impersonations than one look at the storage finds', async () => {
    await expectManyErased(memoryAudit(), 1100)
  })

  it('is kept where a hold comes while the rest is erased, and the error names it', async () => {
    const store = memoryAudit()
    const two = processOn(store)
    let isHeld = false
    let isOverwritten = false
    const holding = interceptCalls(store, 'remove', async () => {
      if (!isHeld) await two.record(act('held', 'a', Date.now()))
      isHeld = true
    })
    const overwriting = interceptCalls(holding, 'overwriteRemoved', () => {
      isOverwritten = true
    })
    const one = processOn(overwriting)
    await one.record(...over('a', 'alice'), ...over('b', 'alice'))
    const error = await rejection(one.erase('alice'))
    expect(error).to.have.property('code', 'ERR_IN_FORCE')
    expect(error).to.deep.include({
      inForce: [{ kind: 'impersonation', id: idOf('a'), why: 'held' }],
    })
    expect(await idsOf(store, 'alice')).to.deep.equal([idOf('a')])
    expect(isOverwritten, 'what was erased').to.equal(true)
    await expectRows(store, 1)
  })

  it('is kept where a permit comes in force meanwhile, by a process whose clock is behind', async () => {
    const store = memoryAudit()
    let isGranted = false
    const granting = interceptCalls(store, 'remove', async () => {
      if (!isGranted) await permit(store, 'p', approved())
      isGranted = true
    })
    const one = processOn(granting)
    await one.record(...over('a', 'alice'))
    const terms = { needs: ['second_person' as const], for: 86_400, lapsesAt: AGO + 9000 }
    await permit(store, 'p', { ...requested('alice'), terms })
    expect(await rejection(one.erase('alice'))).to.deep.include({
      inForce: [{ kind: 'permit', id: idOf('p'), why: 'permit' }],
    })
    expect(await store.permit(idOf('p'))).not.to.equal(undefined)
    expect(await verified(store)).to.deep.include({ rows: 0, permits: 1, unprovedRows: 0 })
  })

  it('is erased with what is told after the signature only once that is signed as well', async () => {
    const store = memoryAudit()
    const two = processOn(store)
    let isTold = false
    const telling = interceptCalls(store, 'remove', async () => {
      if (!isTold) await two.record({ ...used('a', Date.now() + 60_000), userId: 'alice' })
      isTold = true
    })
    const one = processOn(telling)
    await one.record(...over('a', 'alice'))
    await expectErased(one, 'alice', 1)
    expect((await verified(store)).erased).to.deep.equal({
      entries: 5,
      subjects: 1,
    })
    const erased = (await readOn(store)).filter(({ text }) => text?.includes('"support.erased"'))
    expect(erased).to.have.length(2)
  })

  it('is erased by a process whose clock is behind', async () => {
    const store = memoryAudit()
    const one = processOn(store, { now: () => AGO - 1000 })
    await one.record(...over('a', 'alice'))
    await expectErased(one, 'alice', 1)
    await expectRows(store, 0)
  })

  it('is erased but for the answer that holds, and with it once there is no account', async () => {
    const store = memoryAudit()
    const answer: Partial<AuditEntry> = { event: 'support.closed', userId: 'alice' }
    await permit(store, 'before', answer)
    await permit(store, 'ask', { ...answer, event: 'support.opened' })
    const counts = { impersonations: 0, permits: 1 }
    expect(await processOn(store).erase('alice')).to.deep.equal(counts)
    expect(await store.permit(idOf('before'))).to.equal(undefined)
    expect(await store.permit(idOf('ask'))).to.include({ state: 'allow' })
    const gone = processOn(store, { hasAccount: async () => false })
    await expectErased(gone, 'alice', 0, 1)
  })

  it('is not touched where the entry of the erasure or of the export cannot be stored', async () => {
    const store = memoryAudit()
    const one = processOn(store)
    await one.record(...over('a', 'alice'))
    await one.close()
    expect(await rejection(one.erase('alice'))).to.be.an('error')
    expect(await rejection(text(one.exportOf('alice')))).to.be.an('error')
    expect(await idsOf(store, 'alice')).to.deep.equal([idOf('a')])
    for (const wrong of ['', undefined, 7]) {
      expect(await rejection(one.erase(wrong as never))).to.be.a.instanceOf(TypeError)
    }
  })
})

import { expect } from 'chai'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  foldAny,
  storedPermitOf,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../src/ledger/store.ts'
import { permitOf } from '../ledger/stores/contract/permits.ts'
import { idOf, notify, started, T, told } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { chain, DAY, END, history, KEEP_FOR, linesOfExport } from './history.ts'
import { openSqlite, storages } from './storages.ts'
import { broken, provider, resigned, verified } from './tampering.ts'

const LATE = END - DAY

/** Each decision has a chain of its own here, as after an answer that was lost. */
async function decide(
  store: AuditStore,
  entry: AuditEntry,
  before?: AnyPermit,
): Promise<AnyPermit> {
  const { next } = await chain(provider.sign, entry.timeMs)
  const record = foldAny(before, entry)
  const permit = storedPermitOf(record, slotOf(record))
  const replaces = before?.version ?? 0
  const decision = { batch: next([entry]), permit, replaces, slotHolder: undefined }
  expect(await store.decide(decision)).to.equal(true)
  return record
}

const first = (event: 'emergency' | 'requested', name: string, time: number): AuditEntry => ({
  ...{ event: `support.${event}`, timeMs: time, by: 'olivia', permit: idOf(name), userId: name },
  ...{ mayAct: { sub: 'olivia', clientId: 'shop' }, resource: 'urn:orders', scope: 'read' },
  terms: { needs: ['second_person'], for: 4, lapsesAt: time + 9000 },
})

const granted = (name: string, time: number): AuditEntry => ({
  ...{
    event: 'support.granted',
    timeMs: time,
    by: 'grace',
    permit: idOf(name),
    need: 'second_person',
  },
})

async function audit(store = memoryAudit({ keepFor: KEEP_FOR })) {
  for (const [name, at] of [['old', END - 45 * DAY] as const, ['new', LATE] as const]) {
    const record = await decide(store, first('requested', name, at))
    await decide(store, granted(name, at + 5000), record)
  }
  // It is kept until a person has looked at it.
  await decide(store, first('emergency', 'always', END - 45 * DAY))
  await history(store, provider.sign)
  return store
}

const paused = (name: string, time: number, more: Partial<AuditEntry>): AuditEntry => ({
  ...{
    event: 'support.paused',
    timeMs: time,
    permit: idOf(name),
    mayAct: { sub: 'olivia' },
    ...more,
  },
})

const resumed = (name: string, time: number): AuditEntry => ({
  ...{ event: 'support.resumed', timeMs: time, permit: idOf(name), mayAct: { sub: 'olivia' } },
  ...{ by: 'grace', note: 'Talked to both' },
})

const isOf = (name: string) => (line: string) => line.startsWith(`{"permit":{"id":"${idOf(name)}"`)

describe('the verification of an audit with permits', () => {
  for (const { name, create, test } of storages) {
    test(`finds pauses whole, and keeps them while they hold: ${name}`, async () => {
      const storage = await create()
      try {
        const { store } = storage
        const at = END - 45 * DAY
        await decide(store, paused('held', at, { userId: 'alice', by: 'alice' }))
        await decide(store, paused('any', at, { by: 'grace' }))
        const ends = { by: 'grace', mayAct: { sub: 'oscar' }, terms: { needs: [], until: at + 1 } }
        await decide(store, paused('over', at, ends))
        const lifted = await decide(store, paused('lifted', at, { userId: 'bob', by: 'bob' }))
        await decide(store, { ...resumed('lifted', at + 1), userId: 'bob' }, lifted)
        const before = await linesOfExport(store, provider.sign, at + DAY)
        expect(await verified(before)).to.include({ permits: 4, unprovedRows: 0 })
        const place = before.findIndex(isOf('held'))
        for (const [is, other] of [
          ['"state":"paused"', '"state":"resumed"'],
          ['"customer":"alice"', '"customer":"bob"'],
          ['"operator":"olivia"', '"operator":"oscar"'],
        ] as const) {
          const line = before[place]?.replace(is, other) ?? ''
          expect(line, is).not.to.equal(before[place])
          const { told } = await broken(await resigned(before.toSpliced(place, 1, line)))
          expect(told).to.match(/^the permit \S+: its \S+ is not what its entries say$/)
        }
        await store.remove(END - KEEP_FOR * 1000, 99)
        const after = await linesOfExport(store, provider.sign)
        expect(await verified(after)).to.include({ permits: 2, unprovedRows: 0 })
        expect(after.filter((line) => isOf('held')(line) || isOf('any')(line))).to.have.length(2)
      } finally {
        await storage.dispose()
      }
    })

    test(`finds it whole, after permits that are over were removed: ${name}`, async () => {
      const storage = await create()
      try {
        const store = await audit(storage.store)
        const lines = await linesOfExport(store, provider.sign)
        const found = await verified(lines)
        expect(found).to.include({ rows: 5, permits: 2, unprovedRows: 0, removed: 19 + 2 })
        expect(lines.filter(isOf('old'))).to.deep.equal([])
        const proof = await linesOfExport(store, provider.sign, END, idOf('d'))
        expect(await verified(proof)).to.include({ rows: 1, permits: 0, unprovedRows: 0 })
      } finally {
        await storage.dispose()
      }
    })
  }

  it('refuses a permit of another version, time, customer or scope, with entries left out, or that is missing', async () => {
    const lines = await linesOfExport(await audit(), provider.sign)
    const place = lines.findIndex(isOf('new'))
    const line = JSON.parse(lines[place] ?? '')
    const told = async (changed: object | undefined) =>
      (
        await broken(
          await resigned(lines.toSpliced(place, 1, ...(changed ? [JSON.stringify(changed)] : []))),
        )
      ).told
    const { permit, entries } = line
    expect(await told({ ...line, permit: { ...permit, version: 1 } })).to.match(
      /^the permit \S+: its version is not what its entries say$/,
    )
    expect(await told({ ...line, permit: { ...permit, at: 1 } })).to.contain('its at is not')
    expect(await told({ ...line, permit: { ...permit, customer: 'bob' } })).to.contain(
      'its customer',
    )
    const wider = permit.data.replace('"scope":"read"', '"scope":"read write"')
    expect(wider).not.to.equal(permit.data)
    expect(await told({ ...line, permit: { ...permit, data: wider } })).to.contain(
      'its data is not',
    )
    expect(await told({ ...line, entries: entries.slice(1) })).to.contain('does not have it')
    expect(await told({ ...line, entries: [] })).to.contain('no entry tells of it')
    expect(await told(undefined)).to.contain('is missing')
  })

  it('finds what customers were told of whole, and what was changed of it by hand', async () => {
    const store = memoryAudit()
    const { notice } = told('notifying', 'a', T)
    const of = { permit: idOf('p'), notice }
    const asks = { ...first('emergency', 'p', T), ...notify(0, ['emergency']) }
    const begun = await decide(store, asks)
    const trying = await decide(store, { ...of, event: 'support.notifying', timeMs: T + 1 }, begun)
    await decide(store, { ...of, event: 'support.unnotified', timeMs: T + 2 }, trying)
    const { next } = await chain(provider.sign, T)
    const done = [told('notifying', 'a', T + 3), told('notified', 'a', T + 4)]
    await store.append(next([started('a', T, notify(600)), ...done]))
    const lines = await linesOfExport(store, provider.sign)
    expect(await verified(lines)).to.include({ rows: 1, permits: 1, unprovedRows: 0 })
    for (const [before, after] of [
      ['"settled":["started"]', '"settled":["ended","started"]'],
      ['"noticeDueAt":', '"noticeDueAt":1'],
    ] as const) {
      const changed = lines.map((line) => line.replace(before, after))
      expect(changed, before).to.not.deep.equal(lines)
      const { told: message } = await broken(await resigned(changed))
      expect(message).to.match(/its (?:notice|noticeDueAt|data) is not what its entries say$/)
    }
  })

  it('refuses an impersonation that is passed off as a permit', async () => {
    const lines = await linesOfExport(await audit(), provider.sign)
    const place = lines.findIndex((line) => line.startsWith(`{"row":{"id":"${idOf('d')}"`))
    const { row, entries } = JSON.parse(lines[place] ?? '')
    const permit = { ...permitOf('d'), at: row.at, version: entries.length }
    const passed = JSON.stringify({ permit, entries })
    const rows = lines.toSpliced(place, 1)
    const first = rows.findIndex((line) => line.startsWith('{"permit"'))
    const { told } = await broken(await resigned(rows.toSpliced(first, 0, passed)))
    expect(told).to.match(/^the permit \S+: its id is not what its entries say$/)
    const beside = lines.findIndex((line) => line.startsWith('{"permit"'))
    const both = await broken(await resigned(lines.toSpliced(beside, 0, passed)))
    expect(both.told).to.contain('an impersonation has the same id')
  })

  it('refuses a permit whose entries were removed before its time', async () => {
    const storage = await openSqlite()
    if (!storage) return expect.fail()
    try {
      const store = await audit(storage.store)
      await store.remove(END, 99)
      const { told } = await broken(await linesOfExport(store, provider.sign))
      expect(told).to.match(/^its text is missing, but it is of /)
    } finally {
      await storage.dispose()
    }
  })
})

import { expect } from 'chai'
import type { Decision, StoredPermit } from '../../src/audit/permit-store.ts'
import { createMemoryAudit } from '../../src/audit/stores/memory/index.ts'
import { permitOf } from '../audit/stores/contract/permits.ts'
import { act, idOf } from '../audit/stores/contract/support.ts'
import { chain, DAY, END, history, KEEP_FOR, linesOfExport } from './history.ts'
import { storages } from './storages.ts'
import { broken, provider, resigned, verified } from './tampering.ts'

/** Each decision has a chain of its own here, as after an answer that was lost. */
async function decisionOf(permit: StoredPermit, time: number): Promise<Decision> {
  const { next } = await chain(provider.sign, time)
  const { id, version } = permit
  const batch = next([{ ...act('objected', '', time), id, ...{ permit: id } }])
  return { batch, permit, replaces: version - 1, slotHolder: undefined }
}

const LATE = END - DAY

async function audit(store = createMemoryAudit({ keepFor: KEEP_FOR })) {
  const decide = async (permit: StoredPermit, time = permit.at) =>
    expect(await store.decide(await decisionOf(permit, time))).to.equal(true)
  for (const [name, at] of [['old', END - 45 * DAY] as const, ['new', LATE] as const]) {
    await decide(permitOf(name, { at }))
    await decide(permitOf(name, { at, version: 2, overAt: at + 9000 }), at + 5000)
  }
  await decide(permitOf('always', { at: END - 45 * DAY, state: 'granted' }))
  await history(store, provider.sign)
  return store
}

const isOf = (name: string) => (line: string) => line.startsWith(`{"permit":{"id":"${idOf(name)}"`)

describe('the verification of an audit with permits', () => {
  for (const [name, create] of Object.entries(storages)) {
    it(`finds it whole, after permits that are over were removed: ${name}`, async () => {
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

  it('refuses a permit of another version or time, with entries left out, or that is missing', async () => {
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
    expect(await told({ ...line, entries: entries.slice(1) })).to.contain('does not have it')
    expect(await told({ ...line, entries: [] })).to.contain('no entry tells of it')
    expect(await told(undefined)).to.contain('is missing')
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
    const storage = await storages.SQLite?.()
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

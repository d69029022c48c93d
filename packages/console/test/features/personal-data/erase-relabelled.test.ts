import { expect } from 'chai'
import { alarmKindOf, decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { InForceError } from '../../../src/features/personal-data/server/in-force.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import {
  found,
  idOf,
  interceptCalls,
  readOn,
  rejection,
  removeOne,
  used,
} from '../../ledger/stores/contract/support.ts'
import { onEachStorage, type Storage } from '../../verify/storages.ts'
import {
  AGO,
  approved,
  expectErased,
  expectRows,
  over,
  type Person,
  permit,
  processOn,
  requested,
  silence,
  verified,
} from './person.ts'

describe('an erasure of evidence under the name of another customer', () => {
  silence()

  function test(title: string, run: (storage: Storage, one: Person) => Promise<void>) {
    onEachStorage(title, async (storage) => {
      const one = processOn(storage.store)
      await run(storage, one)
      await one.close()
    })
  }

  /** Everything of alice is bea's, wherever the storage says so. */
  async function relabel({ change }: Storage, rows: string[], permits: string[]) {
    for (const id of rows.map(idOf)) {
      await change('impersonation', id, (row) => ({
        ...row,
        customer: { id: 'bea' },
        found: { ...row.found, customer: 'bea' },
      }))
    }
    for (const id of permits.map(idOf)) {
      await change('record', id, ({ data, ...permit }) => ({
        ...permit,
        customer: 'bea',
        data: data.replaceAll('"alice"', '"bea"'),
      }))
    }
  }

  const moveEntries = ({ run }: Storage, from: string, to: string) =>
    run(
      'UPDATE impersonation_audit_entry SET digest = replace(digest, ?, ?) WHERE subject = ?',
      from,
      to,
      from,
    )

  async function expectRefused(one: Person, whys: Record<string, string>) {
    const error = await rejection(one.erase('bea', { by: 'grace' }))
    if (!(error instanceof InForceError)) return expect.fail(String(error))
    expect(Object.fromEntries(error.inForce.map(({ id, why }) => [id, why]))).to.deep.equal(
      Object.fromEntries(Object.entries(whys).map(([each, why]) => [idOf(each), why])),
    )
  }

  const eventsOf = async (store: AuditStore) =>
    (await readOn(store)).flatMap(({ text }) => decodeEntry(text ?? '') ?? [])

  test('removes nothing, signs nothing, and raises an alarm for each', async (storage, one) => {
    const { store } = storage
    await one.record(...over('evidence', 'alice'), ...over('own', 'bea'))
    await permit(store, 'allowed', requested('alice'), approved())
    await relabel(storage, ['evidence'], ['allowed'])
    const before = (await readOn(store)).map(({ text }) => text)
    await expectRefused(one, { evidence: 'tampered', allowed: 'tampered' })
    const after = await eventsOf(store)
    expect((await readOn(store)).map(({ text }) => text).slice(0, before.length)).to.deep.equal(
      before,
    )
    expect(after.slice(before.length)).to.deep.equal([
      {
        event: 'support.mislabelled',
        timeMs: after.at(-2)?.timeMs,
        id: idOf('evidence'),
        by: 'grace',
      },
      {
        event: 'support.mislabelled',
        timeMs: after.at(-1)?.timeMs,
        permit: idOf('allowed'),
        by: 'grace',
      },
    ])
    expect(after.slice(-2).map(alarmKindOf)).to.deep.equal(['tampered', 'tampered'])
    const open = await found(store, { alarm: 'open' }, { limit: 10 })
    expect(open).to.have.length(2)
    expect(open.map(({ id }) => id)).to.include(idOf('evidence'))
    expect(open.find(({ id }) => id !== idOf('evidence'))?.permit).to.equal(idOf('allowed'))
    expect(await rejection(verified(store)))
      .to.be.an('error')
      .with.property('name', 'Broken')
  })

  test('is not exported to that customer, and raises an alarm', async (storage, one) => {
    const { store } = storage
    await one.record(...over('evidence', 'alice'), ...over('own', 'bea'))
    await permit(store, 'allowed', requested('alice'), approved())
    await relabel(storage, ['evidence'], ['allowed'])
    let text = ''
    const read = async () => {
      for await (const part of one.exportOf('bea')) text += part
    }
    const error = await rejection(read())
    if (!(error instanceof InForceError)) return expect.fail(String(error))
    expect(error.message).to.match(/^this is left out of the export: /)
    expect(error.inForce).to.deep.equal([
      { kind: 'impersonation', id: idOf('evidence'), why: 'tampered' },
      { kind: 'permit', id: idOf('allowed'), why: 'tampered' },
    ])
    expect(text).not.to.contain('alice')
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).to.deep.equal([idOf('own')])
    const alarms = (await eventsOf(store)).slice(-2)
    expect(alarms.map(({ event }) => event)).to.deep.equal([
      'support.mislabelled',
      'support.mislabelled',
    ])
  })

  test('erases nothing of a customer with a permit that cannot be read', async ({
    store,
    change,
  }, one) => {
    await one.record(...over('own', 'bea'))
    await permit(store, 'allowed', requested('bea'), approved())
    const whole = await store.permit(idOf('allowed'))
    await change('record', idOf('allowed'), ({ data, ...sum }) => ({
      ...sum,
      data: data.slice(0, 40),
    }))
    const damaged = await store.permit(idOf('allowed'))
    expect({ ...damaged, data: '', version: 0 }).to.deep.equal({
      ...whole,
      data: '',
      version: 0,
    })
    const { permits } = await store.permits({ customer: 'bea' }, { limit: 10 })
    expect(permits).to.deep.equal([damaged])
    const before = (await readOn(store)).map(({ text }) => text)
    await expectRefused(one, { allowed: 'unreadable' })
    expect((await readOn(store)).map(({ text }) => text)).to.deep.equal(before)
    expect(before).to.not.include(undefined)
    expect(await rejection(verified(store)))
      .to.be.an('error')
      .with.property('message')
      .that.includes(idOf('allowed'))
  })

  test('finds entries that were moved to a row of that customer', async (storage, one) => {
    await one.record(...over('evidence', 'alice'), ...over('own', 'bea'))
    await moveEntries(storage, idOf('evidence'), idOf('own'))
    await expectRefused(one, { own: 'tampered' })
  })

  test('finds entries whose texts were changed as well', async (storage, one) => {
    await one.record(...over('evidence', 'alice'))
    await relabel(storage, ['evidence'], [])
    const rewrite =
      'UPDATE impersonation_audit_entry SET text = replace(text, ?, ?) WHERE subject = ?'
    await storage.run(rewrite, '"alice"', '"bea"', idOf('evidence'))
    await expectRefused(one, { evidence: 'tampered' })
  })

  test('finds a row whose entries were taken away', async (storage, one) => {
    const { store } = storage
    await one.record(...over('own', 'bea'))
    await moveEntries(storage, idOf('own'), idOf('elsewhere'))
    await expectRefused(one, { own: 'tampered' })
    expect(await store.row(idOf('own'))).not.to.equal(undefined)
  })

  test('is not what an API says of another customer', async ({ store }, one) => {
    await one.record(...over('own', 'bea'), { ...used('own', AGO + 9), userId: 'alice' })
    await expectErased(one, 'bea', 1)
    await expectRows(store, 0)
  })

  test('is not that what was to be erased is gone meanwhile', async ({ store }, one) => {
    await one.record(...over('a', 'bea'), ...over('b', 'bea'))
    let isFirst = true
    const racing = interceptCalls(store, 'timelines', async ([id = '']) => {
      if (isFirst) await removeOne(store, id)
      isFirst = false
    })
    const two = processOn(racing)
    await expectErased(two, 'bea', 1)
    await two.close()
  })
})

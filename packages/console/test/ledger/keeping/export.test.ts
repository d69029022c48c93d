import { text as whole } from 'node:stream/consumers'
import { expect } from 'chai'
import { exportCustomer } from '../../../src/features/personal-data/server/export-customer.ts'
import { exportCsv } from '../../../src/ledger/keeping/export.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { csvRecords, parseCsv } from '../../support/csv.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import {
  act,
  ended,
  idOf,
  interceptCalls,
  issued,
  many,
  put,
  replayed,
  started,
  T,
  used,
} from '../stores/contract/support.ts'

const NOW = T + 3_600_000
const ROWS = { filter: {}, now: NOW }

const csv = async (store: AuditStore) => csvRecords(await whole(exportCsv(store, ROWS)))

/** The lines about Alice. */
const linesOf = (store: AuditStore) =>
  exportCustomer({ store, now: () => NOW, record: () => expect.fail() }, 'alice', { by: 'ada' })

const NAMES = many(450, (index) => `${index}`)

/** More than two pages have. */
async function storeOf450() {
  const store = memoryAudit()
  await put(store, ...NAMES.map((name, index) => issued(name, T + index)))
  return store
}

/** An impersonation with this reason, by an operator with this name. */
async function storeWith(text: string) {
  const store = memoryAudit()
  const names = { actor: { name: text } }
  await put(store, started('a', T, { context: { reason: text, ticketId: 'SUP-1' }, names }))
  return store
}

describe('the export as CSV', () => {
  it('has a line for each row with all that is known, and times in UTC', async () => {
    const store = memoryAudit()
    await put(store, issued('b', T - 1000, { userId: 'bob' }))
    await put(store, started('a', T), used('a', T + 1), used('a', T + 2, { method: 'PUT' }))
    await put(store, replayed('a', T + 3), ended('a', T + 4), act('held', 'a', T + 5))
    const [a, b] = await csv(store)
    expect(a).to.include({
      id: idOf('a').replace(/^-/, "'-"),
      at: '2026-01-01T00:00:00.000Z',
      last_at: '2026-01-01T00:00:00.005Z',
      operator_id: 'olivia',
      customer_id: 'alice',
      ticket: 'SUP-1',
      reason: 'Order lost',
      outcome: 'requested',
      end_at: '2026-01-01T00:00:00.004Z',
      end_by: 'olivia',
      reads: '1',
      changes: '1',
      refused: '0',
      replays: '1',
      alarm_count: '1',
      alarm_kinds: 'replayed',
      is_alarm_open: 'true',
      hold_is_held: 'true',
      hold_by: 'grace',
      objection_at: '',
      refusal_error: '',
      application: 'shop',
    })
    expect(b).to.include({ customer_id: 'bob', outcome: 'unused', started_at: '', alarm_count: '' })
  })

  it('begins with a byte order mark, and ends each line with CR LF', async () => {
    const text = await whole(exportCsv(await storeWith('x'), ROWS))
    expect(text.startsWith('\ufeffid,at,')).to.equal(true)
    expect(text.match(/\r\n/g)).to.have.length(2)
    expect(text.endsWith('\r\n')).to.equal(true)
    expect((await whole(exportCsv(memoryAudit(), ROWS))).match(/\r\n/g)).to.have.length(1)
  })

  it('keeps quotes, separators and lines inside of a cell', async () => {
    for (const text of ['a "b" c', 'a,b', 'a\nb', 'a\r\nb', '"', ' a ', 'Ä 🦀', "it's"]) {
      const [row] = await csv(await storeWith(text))
      expect(row).to.include({ reason: text, operator_name: text })
    }
  })

  it('has no formula that a person wrote, wherever a spreadsheet begins a cell', async () => {
    for (const [text, expected] of [
      ['=1+1', "'=1+1"],
      ['+49 170', "'+49 170"],
      ['-1', "'-1"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['\t=1', "'\t'=1"],
      ['\r=1', "'\r'=1"],
      ['  =1', "'  =1"],
      ['＝1', "'＝1"],
      ['a;=1', "a;'=1"],
      ['a"; =1', 'a";\' =1'],
      // Excel in German ends a cell at the semicolon, takes the doubled quotes for an empty text, and
      // what follows for more of the cell.
      ['a;"=1', 'a;\'"=1'],
      ['"=1', '\'"=1'],
      ['a; "" "=1', 'a;\' "" "=1'],
      ['a\n=1', "a\n'=1"],
      ['a\t+1', "a\t'+1"],
      ['a|@x', "a|'@x"],
      ['SUP-1, a-b = c', 'SUP-1, a-b = c'],
    ] as const) {
      const [row] = await csv(await storeWith(text))
      expect(row, JSON.stringify(text)).to.include({ reason: expected, operator_name: expected })
    }
  })

  it('has no control characters, which a program would obey', async () => {
    const [row] = await csv(await storeWith('a\0b\u001b[2Jc\u009bd\ud800'))
    expect(row?.reason).to.equal('a\ufffd0000b\ufffd[2Jc\ufffdd\ufffdd800')
  })

  it('has the rows that the filter finds, newest first, of many pages', async () => {
    const store = await storeOf450()
    const filter = { from: T + 10 }
    const [, ...lines] = parseCsv((await whole(exportCsv(store, { filter, now: NOW }))).slice(1))
    const ids = NAMES.slice(10).toReversed().map(idOf)
    expect(lines.map(([id]) => id?.replace(/^'/, ''))).to.deep.equal(ids)
  })

  it('reads on only when more is wanted, and fails where the storage does', async () => {
    const store = await storeOf450()
    let found = 0
    const watched = interceptCalls(store, 'find', () => {
      found += 1
      if (found === 3) throw new Error('the storage is down')
    })
    const parts = exportCsv(watched, ROWS)
    await parts.next()
    expect(found).to.equal(0)
    await parts.next()
    expect(found).to.equal(1)
    await parts.next()
    const error = await parts.next().catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('the storage is down')
  })
})

describe('the lines of the export of a person', () => {
  it('has a row and its entries on each line, in ASCII', async () => {
    const store = memoryAudit()
    await put(store, started('a', T, { context: { reason: 'Ä\u2028\n"' } }), used('a', T + 1))
    await put(store, replayed('b', T - 1), replayed('b', T - 1), replayed('b', T))
    const text = await whole(linesOf(store))
    expect(text).to.match(/^[ -~\n]*$/)
    const [a, b, ...others] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(others).to.deep.equal([])
    const { entries, outcome, isAlarmOpen, ...row } = a
    expect(row).to.deep.equal(await store.row(idOf('a')))
    expect({ outcome, isAlarmOpen }).to.deep.equal({ outcome: 'expired', isAlarmOpen: false })
    expect(entries).to.have.length(2)
    expect(entries[0]).to.deep.include({ event: 'impersonation.started', number: 1 })
    expect(entries[0].context.reason).to.equal('Ä\u2028\n"')
    expect(b.entries).to.have.length(3)
  })

  it('has all entries of a row with very many', async () => {
    const store = memoryAudit()
    await put(store, ...many(1000, (index) => used('a', T + index)))
    const line = JSON.parse(await whole(linesOf(store)))
    expect(line.entries.map(({ timeMs }: { timeMs: number }) => timeMs - T)).to.deep.equal(
      many(1000, (index) => index),
    )
  })

  it('reads rows and entries by the page, and none by itself, and so does CSV', async () => {
    async function callsFor(count: number) {
      const store = memoryAudit()
      const names = NAMES.slice(0, count)
      const entries = names.flatMap((name, at) => [started(name, T + at), used(name, T + at)])
      await put(store, ...entries)
      const calls: Record<string, number> = {}
      const counting = new Proxy(store, {
        get(of, name) {
          calls[String(name)] = (calls[String(name)] ?? 0) + 1
          return Reflect.get(of, name)
        },
      })
      const filter = { customer: 'alice' }
      const lines = await whole(linesOf(counting))
      expect(lines.trimEnd().split('\n')).to.have.length(count)
      await whole(exportCsv(counting, { filter, now: T }))
      return calls
    }
    const few = { assertSchema: 2, find: 2, permits: 1, timelines: 2 }
    expect(await callsFor(3)).to.deep.equal(few)
    expect(await callsFor(90)).to.deep.equal(few)
    // Pages of 200 rows: about a person, whose entries are read twice, and for CSV.
    expect(await callsFor(450)).to.deep.equal({ ...few, find: 6, timelines: 6 })
  })

  it('has no line without rows', async () => {
    expect(await whole(linesOf(memoryAudit()))).to.equal('')
  })
})

describe('an export', () => {
  it('says nothing where somebody changed the tables', async () => {
    const changed = Object.assign(new Error('somebody changed the tables'), { code: 'X' })
    const store = { ...(await storeWith('a')), assertSchema: () => Promise.reject(changed) }
    for (const parts of [exportCsv(store, ROWS), linesOf(store)]) {
      const error: unknown = await whole(parts).catch((reason: unknown) => reason)
      expect(error).to.equal(changed)
    }
  })
})

import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { type Alarm, alarms } from '../../../src/audit/recording/alarms.ts'
import { recorder } from '../../../src/audit/recording/recorder.ts'
import type { AuditStore } from '../../../src/audit/store.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { act, ended, idOf, issued, replayed, T, used } from '../stores/contract/support.ts'

const urlOf = (row: string) => `https://id.example.com/console/audit/${row}`
const refusedUse = (time: number) => used('a', time, { refused: { by: 'scope', description: 'd' } })

/** Records entries one after the other. Returns the alarms and the lines of stderr. */
async function alarmsOf(
  entries: readonly AuditEntry[],
  onAlarm: (alarm: Alarm) => unknown = () => {},
  { store = memoryAudit(), patience = 1000 }: { store?: AuditStore; patience?: number } = {},
) {
  const told: Alarm[] = []
  const hand = (alarm: Alarm) => {
    told.push(alarm)
    return onAlarm(alarm)
  }
  const handed = alarms(store, { onAlarm: hand, urlOf, timeoutMs: patience })
  const { record, close } = recorder(store, { stored: handed.stored })
  const { stderr } = await quietly(async () => {
    for (const entry of entries) await record(entry)
    await close()
    for (const _ of entries) await handed.settled()
  })
  return { told, stderr }
}

describe('alarms', () => {
  it('are handed over once each, after they were stored, with the row and its page', async () => {
    const store = memoryAudit()
    const entries = [
      issued('a', T),
      replayed('a', T + 1),
      used('a', T + 2),
      refusedUse(T + 3),
      ended('a', T + 4, { end: { at: 1, cause: 'user' } }),
      act('objected', 'a', T + 5, { note: 'not me' }),
      act('acknowledged', 'a', T + 6, { alarms: 4 }),
    ]
    const { told, stderr } = await alarmsOf(entries, undefined, { store })
    expect(told.map(({ kind, time }) => [kind, time])).to.deep.equal([
      ['replayed', T + 1],
      ['refused', T + 3],
      ['ended_by_customer', T + 4],
      ['objection', T + 5],
    ])
    expect(told[0]?.impersonation).to.include({ id: idOf('a'), replays: 1 })
    expect(told[0]?.url).to.equal(urlOf(idOf('a')))
    expect(stderr).to.deep.equal([])
  })

  it('are not handed over again and again where the same happens again', async () => {
    const again = Array.from({ length: 50 }, (_, index) => [
      replayed('a', T + index),
      refusedUse(T + index),
    ])
    const { told } = await alarmsOf([...again.flat(), replayed('b', T)])
    const [one, two, ...more] = told.map(({ kind, rank }) => `${kind} ${rank}`)
    expect([one, two, more.pop()]).to.deep.equal([
      'replayed urgent',
      'refused notable',
      'replayed urgent',
    ])
    expect(new Set(more), 'each ten refusals').to.deep.equal(new Set(['refused urgent']))
    expect(more.length).to.be.within(1, 5)
  })

  it('of one impersonation do not keep another one waiting, however many there are', async () => {
    const entries = [
      ...Array.from({ length: 200 }, (_, index) =>
        used('a', T + index, { path: `/${index}`, refused: { by: 'scope', description: 'd' } }),
      ),
      act('objected', 'b', T + 500),
    ]
    const first = Promise.withResolvers<void>()
    let calls = 0
    const onAlarm = () => {
      calls += 1
      return calls === 1 ? first.promise : undefined
    }
    const store = memoryAudit()
    const append: AuditStore['append'] = async (batch) => {
      const gone = await store.append(batch)
      // The first alarm takes as long as all others are stored.
      if ((await store.row(idOf('b'))) !== undefined) setImmediate(first.resolve)
      return gone
    }
    const { told } = await alarmsOf(entries, onAlarm, { store: { ...store, append } })
    expect(told.map(({ kind }) => kind)).to.deep.equal(['refused', 'refused', 'objection'])
    expect(told[1]?.impersonation.refused, 'it stands for all').to.equal(200)
  })

  for (const [what, onAlarm, reason] of [
    ['throws', () => expect.fail('no pager\n\u001b[2J'), 'no pager\\u000a\\u001b[2J'],
    ['rejects', () => Promise.reject(new Error('no pager')), 'no pager'],
    ['never ends', () => new Promise(() => {}), 'takes longer'],
  ] as const) {
    it(`are told on stderr, and the next is handed over, where the function ${what}`, async () => {
      const entries = [replayed('a', T), replayed('b', T)]
      const { told, stderr } = await alarmsOf(entries, onAlarm, { patience: 20 })
      expect(told).to.have.length(2)
      expect(stderr.length).to.be.within(2, 4)
      expect(stderr[0])
        .to.match(/^audit: onAlarm /)
        .and.include(reason)
    })
  }

  it('are handed over also where the row cannot be read again', async () => {
    const store = { ...memoryAudit(), row: () => Promise.reject(new Error('no storage')) }
    const { told } = await alarmsOf([replayed('a', T)], undefined, { store })
    expect(told[0]?.impersonation).to.include({ id: idOf('a'), replays: 1 })
  })
})

import { expect } from 'chai'
import {
  type AuditEntry,
  type AuditRow,
  BEGUN_EVENT,
  decodeEntry,
  fold,
} from 'oidc-provider-impersonation-verify/format'
import { startRetention } from '../../src/ledger/keeping/retention.ts'
import { batches } from '../../src/ledger/recording/batches.ts'
import type { StoredEntry } from '../../src/ledger/store.ts'
import { act, idOf, issued, readOn, T, used } from '../ledger/stores/contract/support.ts'
import { chain, DAY, END, history, KEEP_FOR, linesOfExport } from './history.ts'
import { type Storage, storages } from './storages.ts'
import { broken, provider, verified } from './tampering.ts'

const MINUTE = 60_000
/** What was last told before this time may be removed at the time of the export. */
const REMOVABLE = END - KEEP_FOR * 1000

/** What a person does who can write to the storage, and what is said of it. */
interface Attack {
  readonly what: string
  /** The storage is empty at first. */
  readonly isAlone?: boolean
  run(storage: Storage): Promise<unknown>
  readonly told: RegExp
}

async function stored({ store }: Storage, name: string): Promise<AuditRow> {
  return (await store.row(idOf(name))) ?? expect.fail(name)
}

const entriesOf = ({ store }: Storage, name: string) => store.timeline(idOf(name), { limit: 99 })

/** The row is the sum of the other entries. */
async function wipe(storage: Storage, name: string, isWiped: (entry: AuditEntry) => boolean) {
  const entries = await entriesOf(storage, name)
  const told = (entry: StoredEntry) => decodeEntry(entry.text ?? '') ?? expect.fail()
  const kept = entries.filter((entry) => !isWiped(told(entry)))
  for (const entry of entries) {
    if (!kept.includes(entry)) await storage.wipe(entry.writer, entry.sequence)
  }
  const row = kept.reduce<AuditRow | undefined>((sum, stored) => {
    const entry = told(stored)
    const { count, lastTime = entry.timeMs } = stored
    return fold(sum, idOf(name), { entry, count, lastTime })
  }, undefined)
  await (row ? storage.putRow(row) : storage.dropRow(idOf(name)))
}

/** What is told at that time, and what retention does then. */
async function at(time: number, { store }: Storage, ...entries: readonly AuditEntry[]) {
  const { next } = await chain(provider.sign, time - 2000)
  if (entries.length > 0) await store.append(next(entries))
  const retention = startRetention(store, {
    sign: provider.sign,
    interval: 2 ** 30,
    now: () => time,
  })
  await retention.run()
  await retention.stop()
}

const attacks: readonly Attack[] = [
  {
    what: 'a row that names another operator',
    run: async (storage) =>
      storage.putRow({ ...(await stored(storage, 'd')), operator: { id: 'grace' } }),
    told: /^the row of impersonation \S+: its operator is not what its entries say$/,
  },
  {
    what: 'a row that counts less',
    run: async (storage) => storage.putRow({ ...(await stored(storage, 'd')), changes: 0 }),
    told: /its changes is not what its entries say$/,
  },
  {
    what: 'a row without its alarm',
    async run(storage) {
      const { alarm: _, ...row } = await stored(storage, 'd')
      await storage.putRow(row)
    },
    told: /its alarm is not what its entries say$/,
  },
  {
    what: 'a row without its hold',
    async run(storage) {
      const { hold: _, ...row } = await stored(storage, 'held')
      await storage.putRow(row)
    },
    told: /its hold is not what its entries say$/,
  },
  {
    what: 'a row that is deleted',
    run: (storage) => storage.dropRow(idOf('d')),
    told: /^the row of its impersonation is missing: /,
  },
  {
    what: 'a row that is put in',
    run: async (storage) => storage.putRow({ ...(await stored(storage, 'd')), id: idOf('never') }),
    told: /: no entry tells of it$/,
  },
  {
    what: 'a row that the list of open alarms does not find',
    run: (storage) => storage.hideAlarm(idOf('d')),
    told: /: its found is not what its entries say$/,
  },
  {
    what: 'a row that a search does not find by its words',
    run: (storage) => storage.hideWords(idOf('d')),
    told: /: its found is not what its entries say$/,
  },
  {
    what: 'an entry that is hidden from its row',
    async run(storage) {
      const [entry] = await entriesOf(storage, 'd')
      await storage.unname(entry?.writer ?? '', entry?.sequence ?? 0)
    },
    told: /^it was moved to another impersonation$|^the row of its impersonation does not have it: /,
  },
  {
    what: 'all texts of what is on hold, wiped as if it were old',
    run: (storage) => wipe(storage, 'held', () => true),
    told: /^its text is missing, but its impersonation is on hold$/,
  },
  {
    what: 'one text of what is on hold, wiped, and its row made anew',
    run: (storage) => wipe(storage, 'held', ({ event }) => event === 'impersonation.started'),
    told: /^its text is missing, but its impersonation is on hold$/,
  },
  {
    what: 'the text of what was held on the last day that it was kept',
    isAlone: true,
    async run(storage) {
      await at(T + 15.3 * DAY, storage, used('late', T + 15.2 * DAY))
      await at(T + 45.1 * DAY, storage, act('held', 'late', T + 45 * DAY))
      await wipe(storage, 'late', ({ event }) => event === 'impersonation.used')
    },
    told: /^its text is missing, but its impersonation is on hold$/,
  },
  {
    what: 'the texts of a young impersonation',
    run: (storage) => wipe(storage, 'd', () => true),
    told: /^its text is missing, but it is of /,
  },
  {
    what: 'an old text of a young impersonation, and its row made anew',
    isAlone: true,
    async run(storage) {
      await at(T + 18.1 * DAY, storage, used('long', T + 18 * DAY))
      await at(T + 45.1 * DAY, storage, used('long', T + 45 * DAY))
      await wipe(storage, 'long', ({ timeMs: time }) => time === T + 18 * DAY)
    },
    told: /^its text is missing, but the last entry of its impersonation is of /,
  },
  {
    what: 'the texts of an impersonation eleven minutes too early',
    isAlone: true,
    async run(storage) {
      await at(T + 21 * DAY, storage, used('early', REMOVABLE + 11 * MINUTE))
      await wipe(storage, 'early', () => true)
    },
    told: /^its text is missing, but it is of /,
  },
  {
    what: 'a count of what is never counted',
    async run(storage) {
      const entries = await entriesOf(storage, 'd')
      const use = entries.find(({ text }) => text?.includes('"GET"')) ?? expect.fail()
      const { timeMs: time = 0 } = decodeEntry(use.text ?? '') ?? {}
      await storage.recount(use.writer, use.sequence, 500, time + 1)
      const row = await stored(storage, 'd')
      await storage.putRow({ ...row, reads: row.reads + 499 })
    },
    told: /^it says that it was repeated, and events of its kind are not$/,
  },
  {
    what: 'repetitions of more than an hour',
    async run(storage) {
      const entries = await entriesOf(storage, 'd')
      const replay = entries.find(({ count }) => count === 2) ?? expect.fail()
      const { timeMs: time = 0 } = decodeEntry(replay.text ?? '') ?? {}
      await storage.recount(replay.writer, replay.sequence, 2, time + DAY)
      await storage.putRow({ ...(await stored(storage, 'd')), lastAt: time + DAY })
    },
    told: /^it says that it was repeated at a time at which it was not counted$/,
  },
  {
    what: 'a chain that the provider did not begin',
    run: ({ store }) => store.append(batches().next([issued('forged', END - MINUTE)])),
    told: /^its chain does not begin with what the provider signed$/,
  },
  {
    what: 'a chain that begins as the provider signed another one',
    async run(storage) {
      await at(END - MINUTE, storage, used('honest', END - MINUTE))
      const first = (await readOn(storage.store)).findLast(({ sequence }) => sequence === 1)
      const { begun, timeMs: time = 0 } = decodeEntry(first?.text ?? '') ?? {}
      const forger = batches()
      forger.begin({ event: BEGUN_EVENT, timeMs: time, ...(begun !== undefined && { begun }) })
      await storage.store.append(forger.next([issued('forged', END - MINUTE)]))
    },
    told: /^the provider signed the beginning of another chain$/,
  },
  {
    what: 'a chain that was set back, so that its last entry is not exported',
    async run({ store, setBack }) {
      const { writer, next } = await chain(provider.sign, END - MINUTE)
      const { records } = next([used('d', END - MINUTE), used('d', END - MINUTE + 1)])
      await store.append({ writer, number: 1, records, repetitions: [] })
      await setBack(writer, 2, records[1]?.hash ?? '')
    },
    told: /^the row of impersonation \S+: it names an entry that is not there$/,
  },
  {
    what: 'the beginning of a chain, wiped',
    async run(storage) {
      const [first] = await readOn(storage.store)
      await storage.wipe(first?.writer ?? '', 1)
    },
    told: /^its chain does not begin with what the provider signed$/,
  },
]

for (const { name, create, suite } of storages) {
  suite(`verify finds, in what is stored in ${name}`, () => {
    let storage: Storage

    beforeEach(async () => {
      storage = await create()
    })
    afterEach(() => storage.dispose())

    for (const { what, isAlone, run, told } of attacks) {
      it(what, async () => {
        if (!isAlone) await history(storage.store, provider.sign)
        await run(storage)
        const found = await broken(await linesOfExport(storage.store, provider.sign))
        expect(found.told).to.match(told)
      })
    }

    it('no fault in a removal nine minutes early: clocks differ', async () => {
      await at(T + 21 * DAY, storage, used('early', REMOVABLE + 9 * MINUTE))
      await wipe(storage, 'early', () => true)
      await verified(await linesOfExport(storage.store, provider.sign))
    })

    it('no fault in other counts of what is counted, and tells that they are not proved', async () => {
      await history(storage.store, provider.sign)
      const entries = await entriesOf(storage, 'd')
      const replay = entries.find(({ count }) => count === 2) ?? expect.fail()
      await storage.recount(replay.writer, replay.sequence, 12, replay.lastTime ?? 0)
      const row = await stored(storage, 'd')
      const before = row.alarm ?? expect.fail()
      const alarm = { ...before, count: before.count + 10 }
      await storage.putRow({ ...row, alarm, replays: row.replays + 10 })
      const lines = await linesOfExport(storage.store, provider.sign)
      expect(await verified(lines)).to.include({ repeatedEntries: 5, repetitions: 15 })
    })

    it('no fault in a row that began anew after it was removed', async () => {
      await history(storage.store, provider.sign)
      const { next } = await chain(provider.sign, END - MINUTE)
      await storage.store.append(
        next([used('a', END - MINUTE), act('held', 'a', END - MINUTE + 1)]),
      )
      const lines = await linesOfExport(storage.store, provider.sign)
      expect(await verified(lines)).to.include({ rows: 6, removed: 19 })
    })
  })
}

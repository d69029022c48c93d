import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { recorder } from '../../console/audit/recorder.ts'
import type { AuditStore, Batch } from '../../console/audit/store.ts'
import { quietly } from '../example-provider/quietly.ts'
import { launch, postJson, signIn, start, temporaryFolder } from '../example-provider/support.ts'
import { entryOf, replayOf, times } from './audit-contract.ts'
import { act, entriesOf, eventsOf, get } from './audit-support.ts'
import { openAuditAt } from './open-audit.ts'

const TEN = Array.from({ length: 10 }, (_, index) => index)

/** A store whose next append waits until the test releases it. */
function held(store: AuditStore) {
  const gate = Promise.withResolvers<void>()
  const batches: Batch[] = []
  const append = async (batch: Batch) => {
    batches.push(batch)
    await gate.promise
    await store.append(batch)
  }
  return { store: { ...store, append }, gate, batches }
}

const SOON = { pauses: [1] } as const

describe('console: the recorder', function () {
  this.timeout(120_000)

  it('prints and stores every entry, in order, and tells of them', async () => {
    const store = memoryAudit()
    let told = 0
    const { record } = recorder(store, () => {
      told += 1
    })
    const { stdout, stderr } = await quietly(() =>
      Promise.all(TEN.map((time) => record(entryOf(time)))),
    )
    expect(stdout.map((line) => JSON.parse(line).time)).to.deep.equal(TEN)
    expect(times(await store.after(undefined, 100))).to.deep.equal(TEN)
    expect([told, stderr]).to.deep.equal([2, []])
  })

  it('writes all that waits at once, in order, and counts what happens again', async () => {
    const { store, gate, batches } = held(memoryAudit())
    const { record, settled } = recorder(store, () => {})
    await quietly(async () => {
      void record(entryOf(0))
      for (let time = 1; time <= 1500; time += 1) {
        void record(time % 3 === 0 ? replayOf(time) : entryOf(time))
      }
      gate.resolve()
      await settled()
    })
    expect(batches.map(({ number }) => number)).to.deep.equal([1, 2, 3])
    const stored = await store.after(undefined, 2000)
    expect(stored).to.have.length(1 + 1000 + 1)
    expect(stored[3]?.entry).to.deep.equal({ ...replayOf(3), count: 500, lastTime: 1500 })
  })

  it('I13: keeps what a store does not take, says so in one line, and stores it once it does', async () => {
    const store = memoryAudit()
    let failures = 5
    const append = async (batch: Batch) => {
      failures -= 1
      if (failures >= 0) throw new Error('disk full\n\u001b[2J')
      await store.append(batch)
    }
    const { record } = recorder({ ...store, append }, () => {}, SOON)
    const { stdout, stderr } = await quietly(() =>
      Promise.all(TEN.map((time) => record(entryOf(time)))),
    )
    expect(stdout).to.have.length(10)
    expect(stderr).to.deep.equal([
      'audit: the storage takes no entries, they wait: disk full\\u000a\\u001b[2J',
      'audit: the storage takes entries again',
    ])
    expect(times(await store.after(undefined, 100))).to.deep.equal(TEN)
  })

  it('stores once what a store took without saying so', async () => {
    const store = memoryAudit()
    let isSilent = true
    const append = async (batch: Batch) => {
      await store.append(batch)
      if (isSilent) {
        isSilent = false
        throw new Error('the connection broke')
      }
    }
    const { record } = recorder({ ...store, append }, () => {}, SOON)
    await quietly(async () => {
      await record(replayOf(1))
      await record(replayOf(2))
    })
    const [place] = await store.after(undefined, 100)
    expect(place?.entry).to.deep.equal({ ...replayOf(1), count: 2, lastTime: 2 })
  })

  it('has room until its bound is reached, and then keeps who asks waiting', async () => {
    const { store, gate } = held(memoryAudit())
    const { record, room, settled } = recorder(store, () => {}, { bound: 10 })
    await quietly(async () => {
      for (const time of TEN) {
        expect(room.isFree()).to.equal(true)
        expect(await room.wait(1)).to.equal(true)
        void record(entryOf(time))
      }
      expect(await room.wait(1)).to.equal(false)
      const waiting = room.wait(1_000_000)
      gate.resolve()
      expect(await waiting).to.equal(true)
      await settled()
    })
    expect(times(await store.after(undefined, 100))).to.deep.equal(TEN)
  })

  it('at the end, stores what is left, and keeps nothing that comes later', async () => {
    const { store, gate } = held(memoryAudit())
    const { record, close } = recorder(store, () => {})
    let isClosed = false
    const { stderr } = await quietly(async () => {
      for (const time of TEN) void record(entryOf(time))
      const closed = close().then(() => {
        isClosed = true
      })
      await wait(20)
      expect(isClosed).to.equal(false)
      gate.resolve()
      await closed
      await record(entryOf(11))
    })
    expect(times(await store.after(undefined, 100))).to.deep.equal(TEN)
    expect(stderr).to.have.length(1)
    expect(stderr[0]).to.include('at 11 is only in the log')
  })

  const dead: [what: string, append: () => Promise<void>, reason: string][] = [
    ['fails', () => Promise.reject(new Error('gone')), 'gone'],
    ['says nothing', () => new Promise(() => {}), 'it did not answer before the end'],
  ]
  for (const [what, append, reason] of dead) {
    it(`at the end, names every entry that a store which ${what} does not have`, async () => {
      const options = { ...SOON, patience: 50 }
      const { record, close } = recorder({ ...memoryAudit(), append }, () => {}, options)
      const { stderr } = await quietly(async () => {
        const all = TEN.map((time) => record(entryOf(time)))
        await close()
        await Promise.all(all)
      })
      const lost = stderr.filter((line) => line.includes('is only in the log'))
      expect(lost).to.have.length(10)
      for (const line of lost) expect(line).to.include(reason)
    })
  }

  it('breaks no request while the storage takes no entries, and loses none of them', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'x.sqlite')
    const example = await start({ STORAGE_URL: `sqlite:${file}` })
    const olivia = await signIn(example.url)
    using database = new DatabaseSync(file)
    const count = () => database.prepare('SELECT count(*) AS count FROM support_audit').get()?.count
    const { stdout, stderr } = await quietly(async () => {
      database.exec('ALTER TABLE support_audit RENAME TO elsewhere')
      const { jti } = await act(example.url, olivia)
      expect(jti).to.match(/^impersonation:/)
      database.exec('ALTER TABLE elsewhere RENAME TO support_audit')
      await example.close()
    })
    expect(stdout).to.have.length(2)
    expect(stderr).to.have.length(2)
    expect(stderr[0]).to.match(/^audit: the storage takes no entries, they wait: no such table/)
    expect(count()).to.equal(2)
  })

  it('loses nothing when the process is told to stop right after', async () => {
    await using folder = await temporaryFolder()
    const storageUrl = `sqlite:${join(folder.path, 'x.sqlite')}`
    await using running = await launch({ DATA_DIR: folder.path, STORAGE_URL: storageUrl })
    const olivia = await signIn(running.url)
    await Promise.all(TEN.map(() => act(running.url, olivia)))
    await postJson(
      `${running.url}/support/impersonations`,
      { userId: 'grace', reason: 'r', ticketId: 't' },
      olivia,
    )
    running.child.kill('SIGTERM')
    const { stderr, stdout } = await running.ended
    expect(stderr).to.equal('')
    const storage = await openAuditAt(storageUrl)
    const stored = await storage.audit.after(undefined, 100)
    await storage.close()
    const printed = [...stdout.matchAll(/^\{"event":.*$/gm)].map(([line]) => JSON.parse(line))
    expect(stored.map(({ entry }) => entry)).to.deep.equal(printed)
    expect(stored).to.have.length(21)
  })

  it('has the operator see after a restart what was before it', async () => {
    await using folder = await temporaryFolder()
    const environment = { DATA_DIR: folder.path, STORAGE_URL: `sqlite:${folder.path}/x.sqlite` }
    const first = await start(environment)
    await act(first.url, await signIn(first.url))
    await first.close()
    const second = await start(environment)
    const olivia = await signIn(second.url)
    const entries = entriesOf(await get(`${second.url}/support/audit`, olivia))
    expect(eventsOf(entries)).to.deep.equal(['impersonation.granted', 'impersonation.issued'])
    await second.close()
  })
})

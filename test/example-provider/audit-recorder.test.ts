import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { AuditEntry, AuditStore } from '../../example-provider/audit/entry.ts'
import { recorder } from '../../example-provider/audit/recorder.ts'
import { readConfig } from '../../example-provider/config.ts'
import { memoryAudit } from '../../example-provider/storage/memory-audit.ts'
import { openStorage } from '../../example-provider/storage.ts'
import { entryOf, times } from './audit-contract.ts'
import { act, entriesOf, eventsOf, get } from './audit-support.ts'
import { quietly } from './quietly.ts'
import { launch, postJson, signIn, start, temporaryFolder } from './support.ts'

const TEN = Array.from({ length: 10 }, (_, index) => index)

/** A store whose next append goes on when the test says so. */
function held(store: AuditStore) {
  const gate = Promise.withResolvers<void>()
  const append = async (entry: AuditEntry) => {
    await gate.promise
    await store.append(entry)
  }
  return { store: { ...store, append }, gate }
}

describe('example provider: the recorder', function () {
  this.timeout(30_000)

  it('prints and stores every entry, in order, and tells of each', async () => {
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
    expect([told, stderr]).to.deep.equal([10, []])
  })

  it('says on stderr, in one line, what is only in the log; and goes on', async () => {
    const store = memoryAudit()
    let fails = true
    const append = async (entry: AuditEntry) => {
      if (fails) throw new Error('disk full\n\u001b[2J')
      await store.append(entry)
    }
    const { record } = recorder({ ...store, append }, () => {})
    const { stdout, stderr } = await quietly(async () => {
      await record(entryOf(1))
      fails = false
      await record(entryOf(2))
    })
    expect(stdout).to.have.length(2)
    expect(stderr).to.deep.equal([
      'audit: impersonation.granted at 1 is only in the log, it could not be stored: disk full\\u000a\\u001b[2J',
    ])
    expect(times(await store.after(undefined, 100))).to.deep.equal([2])
  })

  it('does not hold more than a thousand for a store that stalls', async () => {
    const { store, gate } = held(memoryAudit())
    const { record, settled } = recorder(store, () => {})
    const { stdout, stderr } = await quietly(async () => {
      for (let time = 0; time < 1010; time += 1) void record(entryOf(time))
      gate.resolve()
      await settled()
    })
    expect([stdout.length, stderr.length]).to.deep.equal([1010, 10])
    expect(stderr[0]).to.include('too many are waiting')
    expect(await store.after(undefined, 2000)).to.have.length(1000)
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

  it('breaks no request when the storage takes no entries', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'x.sqlite')
    const example = await start({ STORAGE_URL: `sqlite:${file}` })
    const olivia = await signIn(example.url)
    const database = new DatabaseSync(file)
    database.exec('DROP TABLE support_audit')
    database.close()
    const { stdout, stderr } = await quietly(async () => {
      const { jti } = await act(example.url, olivia)
      expect(jti).to.match(/^impersonation:/)
      await example.close()
    })
    expect(stdout).to.have.length(2)
    expect(stderr).to.have.length(2)
    for (const line of stderr) expect(line).to.match(/^audit: .* is only in the log.*no such table/)
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
    const storage = await openStorage(readConfig({ STORAGE_URL: storageUrl }).storage)
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

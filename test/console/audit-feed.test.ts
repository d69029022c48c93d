import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { feed } from '../../console/audit/feed.ts'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import type { AuditStore } from '../../console/audit/store.ts'
import { until } from '../adapters/servers.ts'
import { temporaryFolder } from '../example-provider/support.ts'
import { entryOf, put } from './audit-contract.ts'
import { openAuditAt } from './open-audit.ts'

/** Longer than any test: an entry that arrives did not wait for this interval. */
const NEVER = 1_000_000

describe('console: following what happens', () => {
  /** Follows the feed and collects its entries in a list. */
  function following(follow: ReturnType<typeof feed>['follow'], after?: string) {
    const controller = new AbortController()
    const seen: number[] = []
    const over = (async () => {
      for await (const { entry } of follow(after, controller.signal)) seen.push(entry.time)
    })()
    over.catch(() => {})
    return { seen, over, stop: () => controller.abort() }
  }

  const sees = (seen: readonly number[], count: number) => until(async () => seen.length >= count)

  it('is woken at once by what this process stores', async () => {
    const store = memoryAudit()
    const { follow, wake } = feed(store, NEVER)
    const [one, two] = [following(follow), following(follow)]
    for (const time of [1, 2, 3]) {
      await put(store, entryOf(time))
      wake()
      await sees(one.seen, time)
      await sees(two.seen, time)
    }
    expect([one.seen, two.seen]).to.deep.equal([
      [1, 2, 3],
      [1, 2, 3],
    ])
    one.stop()
    two.stop()
    await Promise.all([one.over, two.over])
  })

  it('begins after the cursor, however much there is by now', async () => {
    const store = memoryAudit()
    for (let time = 1; time <= 350; time += 1) await put(store, entryOf(time))
    const [, , third] = await store.after(undefined, 3)
    const { seen, over, stop } = following(feed(store, NEVER).follow, third?.cursor)
    await sees(seen, 347)
    expect(seen).to.deep.equal(Array.from({ length: 347 }, (_, index) => index + 4))
    stop()
    await over
  })

  it('sleeps through nothing that is stored while it looks', async () => {
    const store = memoryAudit()
    let stored = false
    const after: AuditStore['after'] = async (cursor, limit) => {
      const entries = await store.after(cursor, limit)
      if (!stored) {
        stored = true
        await put(store, entryOf(1))
        wake()
      }
      return entries
    }
    const { follow, wake } = feed({ ...store, after }, NEVER)
    const { seen, over, stop } = following(follow)
    await sees(seen, 1)
    expect(seen).to.deep.equal([1])
    stop()
    await over
  })

  it('hears of what another process stores', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path}/x.sqlite`
    const [here, there] = [await openAuditAt(url), await openAuditAt(url)]
    const { seen, over, stop } = following(feed(here.audit).follow)
    await put(there.audit, entryOf(1))
    await sees(seen, 1)
    await put(there.audit, entryOf(2))
    await sees(seen, 2)
    expect(seen).to.deep.equal([1, 2])
    stop()
    await over
    await Promise.all([here.close(), there.close()])
  })

  it('asks once each time, however many follow, and not at all when nobody does', async () => {
    const store = memoryAudit()
    let asked = 0
    const before: AuditStore['before'] = (cursor, limit) => {
      asked += 1
      return store.before(cursor, limit)
    }
    const { follow } = feed({ ...store, before }, 20)
    await wait(100)
    expect(asked).to.equal(0)
    const all = Array.from({ length: 50 }, () => following(follow))
    await wait(200)
    for (const { stop } of all) stop()
    await Promise.all(all.map(({ over }) => over))
    expect(asked).to.be.within(1, 11)
    const sofar = asked
    await wait(100)
    expect(asked).to.equal(sofar)
  })

  it('ends when the store fails, and says why', async () => {
    const store = memoryAudit()
    let fails = false
    const failing = async () => {
      throw new Error('gone')
    }
    const { follow } = feed(
      {
        ...store,
        before: (...args) => (fails ? failing() : store.before(...args)),
        after: (...args) => (fails ? failing() : store.after(...args)),
      },
      20,
    )
    const { over } = following(follow)
    await wait(50)
    fails = true
    const error = await over.catch((error: unknown) => error)
    expect(String(error)).to.equal('Error: gone')
  })

  it('ends at once when it is told to, before or while it waits', async () => {
    const { follow } = feed(memoryAudit(), NEVER)
    const one = following(follow)
    one.stop()
    await one.over
    const two = following(follow)
    await wait(20)
    two.stop()
    await two.over
  })
})

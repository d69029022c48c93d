import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate as afterOthers } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Retention, startRetention } from '../../../src/ledger/keeping/retention.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { act, exported, idOf, issued, put, T, used } from '../stores/contract/support.ts'

const HOUR = 3_600_000
const NEVER = 2 ** 30

describe('retention', () => {
  const started: Retention[] = []
  let told: string[]
  const { error } = console

  beforeEach(() => {
    told = []
    console.error = (line: string) => told.push(line)
  })
  afterEach(async () => {
    console.error = error
    for (const retention of started.splice(0)) await retention.stop()
  })

  function start(store: AuditStore, options: Partial<Parameters<typeof startRetention>[1]> = {}) {
    const retention = startRetention(store, { interval: NEVER, ...options })
    started.push(retention)
    return retention
  }

  it('removes what is older than keepFor, but for what is on hold until it is released', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, issued('old', T), issued('held', T), act('held', 'held', T), exported(T))
    await put(store, issued('young', T + 10), issued('used', T), used('used', T + 10))
    const retention = start(store, { now: () => T + HOUR + 5 })
    await retention.run()
    expect(await store.row(idOf('old'))).to.equal(undefined)
    for (const name of ['held', 'young', 'used']) {
      expect(await store.row(idOf(name)), name).to.not.equal(undefined)
    }
    expect(await store.timeline(idOf('used'), { limit: 9 })).to.have.length(2)
    await put(store, act('released', 'held', T + 1))
    await retention.run()
    expect(await store.row(idOf('held'))).to.equal(undefined)
    expect(told).to.deep.equal([])
  })

  it('removes nothing without keepFor', async () => {
    const store = memoryAudit()
    await put(store, issued('a', 1))
    await start(store, { now: () => T }).run()
    expect(await store.row(idOf('a'))).to.not.equal(undefined)
  })

  it('removes in small steps', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, ...Array.from({ length: 300 }, (_, index) => issued(`${index}`, T)))
    const limits: number[] = []
    const watched: AuditStore = {
      ...store,
      remove(removal) {
        limits.push(removal.sums.length)
        return store.remove(removal)
      },
    }
    await start(watched, { now: () => T + 2 * HOUR }).run()
    expect(limits).to.have.length.greaterThan(5)
    expect(Math.max(...limits)).to.be.at.most(100)
    expect((await store.find({}, { limit: 9, now: T })).rows).to.deep.equal([])
  })

  it('tells of trouble once, never rejects, and tells when it works again', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, issued('a', T))
    let trouble: string | undefined = 'the storage\nis down'
    const failing: AuditStore = {
      ...store,
      async remove(...args) {
        if (trouble !== undefined) throw new Error(trouble)
        return store.remove(...args)
      },
    }
    const retention = start(failing)
    await retention.run()
    await retention.run()
    expect(told).to.have.length(1)
    expect(told[0]).to.match(/^audit: old entries are not removed.*: the storage\\u000ais down$/)
    trouble = undefined
    await retention.run()
    expect(told[1]).to.contain('removed again')
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })

  it('is done again and again by a timer, until it is stopped, which waits for what was begun', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    const [third, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const retention = start(
      {
        ...store,
        async old() {
          calls += 1
          if (calls === 3) third.resolve()
          if (calls >= 3) await released.promise
          return { sums: [], alone: [] }
        },
      },
      { interval: 5 },
    )
    await third.promise
    let isStopped = false
    const stopped = retention.stop().then(() => {
      isStopped = true
    })
    await afterOthers()
    expect(isStopped).to.equal(false)
    released.resolve()
    await stopped
    await retention.run()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(calls).to.equal(3)
  })

  it('is safe in several processes at once', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, ...Array.from({ length: 200 }, (_, index) => issued(`${index}`, T)))
    await put(store, act('held', '7', T))
    const now = () => T + 2 * HOUR
    await Promise.all([1, 2, 3].map(() => start(store, { now }).run()))
    expect((await store.find({}, { limit: 9, now: T })).rows).to.have.length(1)
    expect(told).to.deep.equal([])
  })

  it('keeps no process alive', async () => {
    const source = (name: string) =>
      JSON.stringify(join(import.meta.dirname, '../../../src/ledger', name))
    const script = `
      const { startRetention } = await import(${source('keeping/retention.ts')})
      const { createSqliteAudit } = await import(${source('stores/sqlite/index.ts')})
      startRetention(createSqliteAudit({ file: ':memory:' }))
      console.log('the end')`
    const args = ['--conditions=oidc-provider-impersonation', '--input-type=module', '-e', script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 })
    expect(stdout).to.equal('the end\n')
  })
})

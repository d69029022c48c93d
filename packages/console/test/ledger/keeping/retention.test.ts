import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate as afterOthers, setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { removeOld, startRetention } from '../../../src/ledger/keeping/retention.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { act, idOf, interceptCalls, issued, many, put, T } from '../stores/contract/support.ts'

const HOUR = 3_600_000

describe('retention', () => {
  it('removes what is older than keepFor', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, issued('old', T), issued('young', T + 10))
    await removeOld(store, T + HOUR + 5)
    expect(await store.row(idOf('old'))).to.equal(undefined)
    expect(await store.row(idOf('young'))).to.not.equal(undefined)
  })

  it('removes nothing without keepFor', async () => {
    const store = memoryAudit()
    await put(store, issued('a', 1))
    await removeOld(store, T)
    expect(await store.row(idOf('a'))).to.not.equal(undefined)
  })

  it('removes in small steps', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, ...many(300, (index) => issued(`${index}`, T)))
    const limits: number[] = []
    const watched = interceptCalls(store, 'remove', ({ sums }) => limits.push(sums.length))
    await removeOld(watched, T + 2 * HOUR)
    expect(limits).to.have.length.greaterThan(5)
    expect(Math.max(...limits)).to.be.at.most(100)
    expect((await store.find({}, { limit: 9, now: T })).rows).to.deep.equal([])
  })

  it('is done again and again, tells of trouble once, and ends with what was begun', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    const [fifth, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const old = async () => {
      calls += 1
      if (calls < 3) throw new Error('the storage\nis down')
      if (calls === 5) fifth.resolve()
      if (calls >= 5) await released.promise
      return { sums: [], alone: [] }
    }
    const { stderr } = await quietly(async () => {
      const retention = startRetention({ ...store, old }, 5)
      await fifth.promise
      let isStopped = false
      const stopped = retention.stop().then(() => {
        isStopped = true
      })
      await afterOthers()
      expect(isStopped).to.equal(false)
      released.resolve()
      await stopped
      await wait(30)
    })
    expect(calls).to.equal(5)
    expect(stderr).to.deep.equal([
      'audit: old entries are not removed, until it works: the storage\\u000ais down',
      'audit: old entries are removed again',
    ])
  })

  it('is safe in several processes at once', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, ...many(200, (index) => issued(`${index}`, T)))
    await put(store, act('held', '7', T))
    await Promise.all([1, 2, 3].map(() => removeOld(store, T + 2 * HOUR)))
    expect((await store.find({}, { limit: 9, now: T })).rows).to.have.length(1)
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

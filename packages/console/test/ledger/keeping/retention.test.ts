import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate as afterOthers } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Retention, startRetention } from '../../../src/ledger/keeping/retention.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { act, exported, idOf, issued, put, T, used } from '../stores/contract/support.ts'

const HOUR = 3_600_000
const NEVER = 2 ** 30

async function sign(checkpoint: object): Promise<string> {
  return `e30.${Buffer.from(JSON.stringify({ checkpoint })).toString('base64url')}.x`
}

const claimsIn = (jws: string) =>
  decodeJwt<{ checkpoint: { time: number; heads: unknown[]; removed: unknown[] } }>(jws).checkpoint

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
    const retention = startRetention(store, { sign, interval: NEVER, ...options })
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

  it('removes nothing without keepFor, and signs checkpoints all the same', async () => {
    const store = memoryAudit()
    await put(store, issued('a', 1))
    await start(store, { now: () => T }).run()
    expect(await store.row(idOf('a'))).to.not.equal(undefined)
    expect(await store.checkpoints(9)).to.have.length(1)
  })

  it('keeps a checkpoint when something changed, of what is there then, and no other', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    let now = T
    const retention = start(store, { now: () => now })
    await retention.run()
    expect(await store.checkpoints(9)).to.deep.equal([])
    await put(store, issued('a', T))
    await retention.run()
    await retention.run()
    expect(await store.checkpoints(9)).to.have.length(1)
    now = T + 2 * HOUR
    await retention.run()
    const kept = (await store.checkpoints(9)).map(claimsIn)
    expect(kept.map(({ time }) => time)).to.deep.equal([now, T])
    expect(kept[0]?.heads).to.deep.equal(await store.heads())
    expect(kept[0]?.removed).to.deep.equal([
      { writer: (await store.heads())[0]?.writer, upTo: 1, except: [] },
    ])
  })

  it('removes in small steps', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, ...Array.from({ length: 300 }, (_, index) => issued(`${index}`, T)))
    const limits: number[] = []
    const watched: AuditStore = {
      ...store,
      remove(before, limit) {
        limits.push(limit)
        return store.remove(before, limit)
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
    expect(told[1]).to.contain('signed again')
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })

  it('tells where no key signs, and removes all the same', async () => {
    const store = memoryAudit({ keepFor: 3600 })
    await put(store, issued('a', T))
    const keyless = async () => {
      throw new Error('no key in jwks can sign checkpoints')
    }
    await start(store, { sign: keyless }).run()
    expect(told).to.have.length(1)
    expect(told[0]).to.contain('no key in jwks can sign checkpoints')
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })

  it('is done again and again by a timer, until it is stopped', async () => {
    const store = memoryAudit()
    const kept = Promise.withResolvers<void>()
    let [number, calls] = [0, 0]
    const changing: AuditStore = {
      ...store,
      async heads() {
        calls += 1
        number += 1
        return [{ writer: 'w', sequence: number, hash: 'h' }]
      },
      async keepCheckpoint() {
        if (number === 3) kept.resolve()
      },
    }
    const retention = start(changing, { interval: 5 })
    await kept.promise
    await retention.stop()
    const before = calls
    await retention.run()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(calls).to.equal(before)
  })

  it('waits at its stop for what was begun', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T))
    const begun = Promise.withResolvers<void>()
    const signed = Promise.withResolvers<string>()
    const retention = start(store, {
      sign() {
        begun.resolve()
        return signed.promise
      },
    })
    void retention.run()
    await begun.promise
    let isStopped = false
    const stopped = retention.stop().then(() => {
      isStopped = true
    })
    await afterOthers()
    expect(isStopped).to.equal(false)
    signed.resolve('a.b.c')
    await stopped
    expect(await store.checkpoints(9)).to.deep.equal(['a.b.c'])
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
      startRetention(createSqliteAudit({ file: ':memory:' }), { sign: async () => 'x' })
      console.log('the end')`
    const args = ['--conditions=oidc-provider-impersonation', '--input-type=module', '-e', script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 })
    expect(stdout).to.equal('the end\n')
  })
})

import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { startGroup } from '../../bench/group.ts'
import { Load } from '../../bench/load.ts'
import { startServer } from '../../bench/process.ts'
import { PostgresProcesses } from '../../bench/storages/postgres-processes.ts'
import { processorTime } from '../../bench/storages/redis.ts'
import type { StorageUse } from '../../bench/storages/storage.ts'
import { together, useSince } from '../../bench/use.ts'
import { POSTGRES_URL, skipWithout } from '../adapters/servers.ts'

/** The storages that are servers. */
const SERVERS = { redis: 'Redis', postgres: 'PostgreSQL' } as const

describe('the benchmark: what the storage does', () => {
  for (const storage of ['sqlite', 'redis', 'postgres'] as const) {
    it(`counts the statements of ${storage}: none where nothing is stored`, async function () {
      if (storage !== 'sqlite') await skipWithout(this, SERVERS[storage])
      const server = await startServer({ storage, alg: 'ES256' })
      const load = new Load({ server, connections: 4 })
      try {
        await load.open()
        await load.slice(20, load.cycle)
        const nothing = await load.slice(100, load.clientCredentials)
        const cycles = await load.slice(100, load.cycle)
        expect(nothing.statements).to.equal(0)
        // A cycle writes, finds and consumes: more than none for each, and no more than a few.
        expect(cycles.statements).to.be.within(0.1, 15)
        if (storage === 'sqlite') expect(cycles.storageCpu).to.equal('in process')
        else expect(cycles.storageCpu).to.be.above(Number(nothing.storageCpu))
        if (storage !== 'sqlite') expect(cycles.storageCpu).to.be.within(5, 20_000)
      } finally {
        await load.close()
        await server.stop()
      }
    })
  }

  for (const storage of ['redis', 'postgres'] as const) {
    it(`runs several processes on one port and one store of ${storage}`, async function () {
      await skipWithout(this, SERVERS[storage])
      const group = await startGroup(storage, 'ES256', 2)
      const loads = [1, 2].map(() => new Load({ server: group.server, connections: 16 }))
      try {
        const [issuing, exchanging] = loads
        if (!issuing || !exchanging) throw new Error('no load')
        await issuing.open()
        // Over connections of their own: what one process issues, the other one exchanges too.
        const tokens: string[] = []
        await issuing.slice(100, async () => {
          tokens.push(await issuing.issue())
        })
        const { cpu, statements } = await exchanging.slice(100, (index) =>
          exchanging.exchange(tokens[index] ?? ''),
        )
        expect(cpu).to.be.above(10)
        expect(statements).to.be.within(0.1, 15)
      } finally {
        for (const load of loads) await load.close()
        await group.stop()
      }
    })
  }

  it('counts what works for all processes once, and what works for each of them', () => {
    const before: StorageUse = { own: 100, common: 1000, statements: 5 }
    const after: StorageUse = { own: 400, common: 1500, statements: 25 }
    expect(useSince(before, after, 10)).to.eql({ storageCpu: 80, statements: 2 })
  })

  it('says that the time of a storage server is unknown, not 0, where one process cannot be read', () => {
    const known: StorageUse = { own: 0, common: 0, statements: 1 }
    const unknown: StorageUse = { own: 'unknown', common: 'unknown', statements: 2 }
    expect(useSince(known, unknown, 1)).to.eql({ storageCpu: 'unknown', statements: 1 })
    expect(together([known, unknown])).to.include({ own: 'unknown', statements: 3 })
  })

  it('says the same where the id is that of another program', () => {
    const pool = new pg.Pool()
    const processes = new PostgresProcesses(pool)
    pool.emit(
      'connect',
      Object.assign(new pg.Client(), { host: '127.0.0.1', processID: process.pid }),
    )
    expect(processes.read().own).to.equal('unknown')
  })

  it('reads all of the time of Redis, in microseconds', () => {
    const info = 'used_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_cpu_sys_children:0.125\r\n'
    expect(processorTime(`# CPU\r\n${info}used_cpu_user_main_thread:9\r\n`)).to.equal(3.875e6)
  })

  it('says that the time of a PostgreSQL on another machine is unknown', async function () {
    await skipWithout(this, 'PostgreSQL')
    const client = new pg.Client({ connectionString: POSTGRES_URL })
    await client.connect()
    try {
      // A PostgreSQL on this machine may have a process of the same id.
      for (const [host, isKnown] of [
        ['127.0.0.1', true],
        ['/var/run/postgresql', true],
        ['db.example', false],
        ['10.0.0.1', false],
      ] as const) {
        const pool = new pg.Pool()
        const processes = new PostgresProcesses(pool)
        expect(processes.read().own).to.equal(0)
        pool.emit('connect', Object.assign(client, { host }))
        expect(typeof processes.read().own === 'number', host).to.equal(isKnown)
      }
    } finally {
      await client.end()
    }
  })

  it('keeps the time of a PostgreSQL process that has ended', async function () {
    await skipWithout(this, 'PostgreSQL')
    const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 1 })
    const processes = new PostgresProcesses(pool)
    try {
      const client = await pool.connect()
      await client.query('SELECT count(*) FROM generate_series(1, 300000)')
      const { own } = processes.read()
      expect(own).to.be.above(1000)
      client.release(true)
      while (pool.totalCount > 0) await wait(1)
      expect(Number(processes.read().own)).to.be.at.least(Number(own))
      await pool.query('SELECT 1')
      expect(Number(processes.read().own)).to.be.above(Number(own))
    } finally {
      await pool.end()
    }
  })
})

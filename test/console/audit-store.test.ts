import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Client } from 'pg'
import { createClient } from 'redis'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { countRepeats } from '../../console/audit/repeats.ts'
import { freePort, inCi, POSTGRES_URL, reachable } from '../adapters/servers.ts'
import { startRedis } from '../example-provider/redis-server.ts'
import { temporaryFolder } from '../example-provider/support.ts'
import { entryOf, isShared, keepsTheContract, put, replayOf, times } from './audit-contract.ts'
import { type OpenAudit, openAuditAt } from './open-audit.ts'

const open = openAuditAt

describe('console: the audit store', function () {
  this.timeout(120_000)

  describe('in memory', () => {
    keepsTheContract(async () => (await open('memory:')).audit)

    it('counts anew what it has forgotten', async () => {
      const store = memoryAudit(2)
      await put(store, replayOf(1), replayOf(2))
      await put(store, entryOf(3), entryOf(4))
      await put(store, replayOf(5))
      const stored = await store.after(undefined, 10)
      expect(times(stored)).to.deep.equal([4, 5])
      expect(stored[1]?.entry).to.not.have.property('count')
    })

    it('forgets the oldest once it is full, and goes on counting', async () => {
      const store = memoryAudit(3)
      for (const time of [1, 2, 3]) await put(store, entryOf(time))
      const [first] = await store.after(undefined, 1)
      for (const time of [4, 5]) await put(store, entryOf(time))
      expect(times(await store.after(undefined, 10))).to.deep.equal([3, 4, 5])
      expect(times(await store.before(undefined, 10))).to.deep.equal([5, 4, 3])
      expect(times(await store.after(first?.cursor, 10))).to.deep.equal([3, 4, 5])
      expect(await store.before(first?.cursor, 10)).to.deep.equal([])
    })
  })

  describe('in SQLite', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let storage: OpenAudit | undefined
    before(async () => {
      folder = await temporaryFolder()
    })
    afterEach(async () => {
      await storage?.close()
      storage = undefined
    })
    after(() => folder[Symbol.asyncDispose]())

    keepsTheContract(async () => {
      storage = await open(`sqlite:${join(folder.path, `${randomUUID()}.sqlite`)}`)
      return storage.audit
    })
    isShared(() => open(`sqlite:${folder.path}/shared.sqlite`))

    it('goes on with the table of the version before, with what it has and for what still writes it', async () => {
      const file = join(folder.path, 'before.sqlite')
      using database = new DatabaseSync(file)
      database.exec(
        'CREATE TABLE support_audit (id INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT',
      )
      const insert = database.prepare('INSERT INTO support_audit (entry) VALUES (?)')
      insert.run(JSON.stringify(entryOf(1)))
      storage = await open(`sqlite:${file}`)
      await put(storage.audit, replayOf(2), replayOf(3))
      insert.run(JSON.stringify(entryOf(4)))
      await storage.close()
      storage = await open(`sqlite:${file}`)
      const stored = await storage.audit.after(undefined, 10)
      expect(times(stored)).to.deep.equal([1, 2, 4])
      expect(stored[1]?.entry).to.include({ count: 2 })
    })

    it('shares the file with the adapter, which finds it as it left it', async () => {
      const file = join(folder.path, 'both.sqlite')
      const first = await open(`sqlite:${file}`)
      await first.adapter('Session').upsert('id', { uid: 'u' }, 60)
      await put(first.audit, entryOf(1))
      await first.close()
      const second = await open(`sqlite:${file}`)
      expect(await second.adapter('Session').find('id')).to.deep.equal({ uid: 'u' })
      expect(times(await second.audit.after(undefined, 5))).to.deep.equal([1])
      await second.close()
      const database = new DatabaseSync(file)
      expect(database.prepare('PRAGMA journal_mode').get()).to.include({ journal_mode: 'wal' })
      database.close()
    })
  })

  describe('in Redis', () => {
    let server: Awaited<ReturnType<typeof startRedis>>
    let storage: OpenAudit | undefined
    const url = () => `redis://127.0.0.1:${server?.port}`
    before(async function () {
      server = await startRedis(await freePort())
      if (!server && inCi) throw new Error('redis-server is not installed')
      if (!server) this.skip()
    })
    afterEach(async () => {
      await storage?.close()
      storage = undefined
    })
    after(() => server?.stop())

    keepsTheContract(async () => {
      const client = createClient({ url: url() })
      await client.connect()
      await client.flushAll()
      await client.close()
      storage = await open(url())
      return storage.audit
    }, false)
    isShared(() => open(url()))
  })

  describe('in PostgreSQL', () => {
    const database = `audit_${randomUUID().replaceAll('-', '')}`
    const url = new URL(POSTGRES_URL)
    url.pathname = `/${database}`
    let storage: OpenAudit | undefined

    async function query(connectionString: string, sql: string): Promise<void> {
      const client = new Client({ connectionString })
      await client.connect()
      await client.query(sql)
      await client.end()
    }

    let created = false
    before(async function () {
      if (!(await reachable(POSTGRES_URL, 5432))) {
        if (inCi) throw new Error('PostgreSQL is not running')
        this.skip()
      }
      await query(POSTGRES_URL, `CREATE DATABASE ${database}`)
      created = true
    })
    afterEach(async () => {
      await storage?.close()
      storage = undefined
    })
    after(async () => {
      if (created) await query(POSTGRES_URL, `DROP DATABASE ${database} WITH (FORCE)`)
    })

    it('is made once by many that start at once', async () => {
      // When the adapter's table exists already, only the lock keeps the processes apart.
      storage = await open(url.href)
      await query(url.href, 'DROP TABLE support_audit')
      const all = await Promise.all(Array.from({ length: 8 }, () => open(url.href)))
      await Promise.all(all.map((one) => put(one.audit, entryOf(1))))
      expect(await all[0]?.audit.after(undefined, 100)).to.have.length(8)
      await Promise.all(all.map((one) => one.close()))
    })

    it('goes on with the table of the version before, with what it has and for what still writes it', async () => {
      storage = await open(url.href)
      await storage.close()
      const entry = (time: number) => `'${JSON.stringify(entryOf(time))}'`
      await query(
        url.href,
        `DROP TABLE support_audit, support_audit_writer;
         CREATE TABLE support_audit (id bigserial PRIMARY KEY, entry text NOT NULL);
         INSERT INTO support_audit (entry) VALUES (${entry(1)})`,
      )
      storage = await open(url.href)
      await put(storage.audit, replayOf(2), replayOf(3))
      await query(url.href, `INSERT INTO support_audit (entry) VALUES (${entry(4)})`)
      const stored = await storage.audit.after(undefined, 10)
      expect(times(stored)).to.deep.equal([1, 2, 4])
      expect(stored[1]?.entry).to.include({ count: 2 })
    })

    it('is stopped by no text that the database has no letters for', async () => {
      const latin = `${database}_latin`
      await query(
        POSTGRES_URL,
        `CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      )
      const there = new URL(url)
      there.pathname = `/${latin}`
      try {
        storage = await open(there.href)
        const entry = entryOf(1, { subject: '\u{1f980} می' })
        await put(storage.audit, entry)
        expect((await storage.audit.after(undefined, 1))[0]?.entry).to.deep.equal(entry)
      } finally {
        await storage?.close()
        storage = undefined
        await query(POSTGRES_URL, `DROP DATABASE ${latin} WITH (FORCE)`)
      }
    })

    it('counts a batch once that is sent again while the first is still on its way', async () => {
      storage = await open(url.href)
      const [last] = await storage.audit.before(undefined, 1)
      const writer = randomUUID()
      const records = countRepeats([replayOf(1, writer), replayOf(2, writer), entryOf(3)])
      const { audit } = storage
      const batches = Array.from({ length: 8 }, () => audit.append({ writer, number: 1, records }))
      await Promise.all(batches)
      const stored = await audit.after(last?.cursor, 100)
      expect(stored.map(({ entry }) => entry?.count)).to.deep.equal([2, undefined])
    })

    keepsTheContract(async () => {
      await query(url.href, 'DROP TABLE IF EXISTS support_audit')
      storage = await open(url.href)
      return storage.audit
    })
    isShared(() => open(url.href))
  })
})

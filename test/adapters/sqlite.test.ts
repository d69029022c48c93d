import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { createSqliteAdapter, type SqliteAdapterFactory } from '../../src/adapters/sqlite.ts'
import { adapterContract } from '../../src/adapters/testing.ts'

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (value) => expect.fail(`resolved ${String(value)}`),
    (error: Error) => error,
  )
}

describe('createSqliteAdapter', () => {
  let folder: string
  let now = Date.now()
  const opened: SqliteAdapterFactory[] = []
  let files = 0
  const newFile = () => {
    files += 1
    return join(folder, `${files}.db`)
  }
  const open = (file: string, busyTimeoutMs = 2000) => {
    const factory = createSqliteAdapter({ file, busyTimeoutMs, now: () => now })
    opened.push(factory)
    return factory
  }
  const advance = (seconds: number) => {
    now += seconds * 1000
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adapters-sqlite-'))
  })
  after(async () => {
    for (const factory of opened) factory.close()
    await rm(folder, { recursive: true })
  })

  describe('on a file', () => {
    let file: string
    before(() => {
      file = newFile()
      open(file)
    })

    adapterContract({
      describe,
      it,
      advance,
      create: () => open(file),
      leaveExpired(_factory, model, id) {
        const database = new DatabaseSync(file)
        database
          .prepare('UPDATE oidc_records SET expires_at = ? WHERE model = ? AND id = ?')
          .run(now - 1, model, id)
        database.close()
      },
      createBroken() {
        const factory = open(newFile())
        factory.close()
        return factory
      },
    })
  })

  describe('in memory', () => {
    adapterContract({ describe, it, advance, create: () => open(':memory:') })
  })

  describe('on a file whose table is gone', () => {
    adapterContract({
      describe: (title, define) => title === 'failing' && define(),
      it,
      create: () => open(':memory:'),
      createBroken() {
        const file = newFile()
        const factory = open(file)
        const database = new DatabaseSync(file)
        database.exec('DROP TABLE oidc_records')
        database.close()
        return factory
      },
    })
  })

  describe('with several processes', () => {
    const script = join(import.meta.dirname, 'sqlite-process.ts')

    async function start(file: string, prefix: string, count: number): Promise<ChildProcess> {
      const args = [file, prefix, String(count)]
      const child = fork(script, args, { execArgv: ['--no-warnings'] })
      await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(([code]) => expect.fail(`a process ended with ${code}`)),
      ])
      return child
    }

    async function each(children: ChildProcess[], what: string): Promise<string[][]> {
      return Promise.all(
        children.map(async (child) => {
          const [answer, exit] = [once(child, 'message'), once(child, 'exit')]
          child.send(what)
          const [result] = await answer
          await exit
          return result
        }),
      )
    }

    it('gives each of 500 records to exactly one of four processes', async () => {
      const file = newFile()
      const adapter = open(file)('SubjectToken')
      for (let i = 0; i < 500; i += 1) await adapter.upsert(`id-${i}`, {}, 600)

      const children = await Promise.all([1, 2, 3, 4].map(() => start(file, 'id-', 500)))
      const won = (await each(children, 'claim')).flat()

      expect(won.toSorted()).to.deep.equal(
        Array.from({ length: 500 }, (_, i) => `id-${i}`).toSorted(),
      )
      expect(await adapter.consumeOnce('id-0')).to.equal(false)
    })

    it('opens a file that is not there yet in six processes at once, and keeps what all write', async () => {
      const file = newFile()
      const children = await Promise.all([1, 2, 3, 4, 5, 6].map(() => start(file, 'w', 100)))
      const written = (await each(children, 'write')).flat()
      const adapter = open(file)('SubjectToken')
      const found = await Promise.all(written.map((id) => adapter.find(id)))
      expect(found.filter(Boolean)).to.have.length(600)
    })

    it('remembers a claim whose process was killed right after it', async () => {
      const file = newFile()
      const child = await start(file, 'k', 20)
      const exit = once(child, 'exit')
      child.send('claim and die')
      expect(await exit).to.deep.equal([null, 'SIGKILL'])

      const adapter = open(file)('SubjectToken')
      for (let i = 0; i < 20; i += 1) {
        expect(await adapter.find(`k${i}`)).to.have.property('consumed')
        expect(await adapter.consumeOnce(`k${i}`)).to.equal(false)
      }
    })

    it('rejects when another process keeps the file locked, and works afterwards', async () => {
      const file = newFile()
      const adapter = open(file, 50)('SubjectToken')
      await adapter.upsert('a', {}, 60)
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      expect((await rejection(adapter.consumeOnce('a'))).message).to.contain('locked')
      expect((await rejection(adapter.upsert('b', {}, 60))).message).to.contain('locked')
      expect(await adapter.find('a')).to.deep.equal({})
      other.exec('ROLLBACK')
      other.close()
      expect(await adapter.consumeOnce('a')).to.equal(true)
    })
  })

  it('keeps everything when it is closed and opened again', async () => {
    const file = newFile()
    const first = open(file)
    await first('SubjectToken').upsert('a', { accountId: 'x' }, 60)
    await first('SubjectToken').upsert('b', {}, 60)
    await first('SubjectToken').consumeOnce('b')
    first.close()
    first.close()
    const second = open(file)('SubjectToken')
    expect(await second.find('a')).to.deep.equal({ accountId: 'x' })
    expect(await second.consumeOnce('b')).to.equal(false)
    expect(await second.consumeOnce('a')).to.equal(true)
  })

  it('keeps the file to its owner', async () => {
    const file = newFile()
    await open(file)('Session').upsert('s', {}, 60)
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect((await stat(name)).mode & 0o777, name).to.equal(0o600)
    }
  })

  it('uses WAL', () => {
    const file = newFile()
    open(file)
    const database = new DatabaseSync(file)
    expect(database.prepare('PRAGMA journal_mode').get()).to.include({ journal_mode: 'wal' })
    database.close()
  })

  describe('expired records', () => {
    const count = (file: string) => {
      const database = new DatabaseSync(file)
      const row = database.prepare('SELECT count(*) AS n FROM oidc_records').get()
      database.close()
      return row?.n
    }

    it('go away a few at a time while others are written', async () => {
      const file = newFile()
      const adapter = open(file)('AccessToken')
      for (let i = 0; i < 500; i += 1) await adapter.upsert(`old-${i}`, {}, 10)
      advance(10)
      for (let i = 0; i < 160; i += 1) await adapter.upsert(`new-${i}`, {}, 600)
      expect(count(file)).to.be.within(160 + 500 - 352, 160 + 500 - 288)
      for (let i = 0; i < 320; i += 1) await adapter.upsert(`newer-${i}`, {}, 600)
      expect(count(file)).to.equal(480)
    })

    it('go away all at once when told, Clients stay', async () => {
      const file = newFile()
      const factory = open(file)
      for (let i = 0; i < 105; i += 1) await factory('AccessToken').upsert(`old-${i}`, {}, 10)
      await factory('Client').upsert('client', {})
      advance(10)
      const deleted = await factory.deleteExpired({ batchSize: 10 })
      expect(deleted).to.be.within(50, 105)
      expect(count(file)).to.equal(1)
      expect(await rejection(factory.deleteExpired({ batchSize: -1 }))).to.be.instanceOf(TypeError)
    })
  })

  describe('says what to do', () => {
    it('when the folder is not there', () => {
      expect(() => open(join(folder, 'missing', 'a.db'))).to.throw(/Its folder has to exist/)
    })

    it('when the file is no database, and leaves it as it is', async () => {
      const file = newFile()
      await writeFile(file, 'not a database, but something else of some length'.repeat(100))
      expect(() => open(file)).to.throw(/not a database/)
      expect(await readFile(file, 'utf8')).to.contain('something else')
    })

    it('when a later version made the file', () => {
      const file = newFile()
      const database = new DatabaseSync(file)
      database.exec('PRAGMA user_version = 7')
      database.close()
      expect(() => open(file)).to.throw(/user_version is 7/)
    })

    it('when an option is wrong', () => {
      expect(() => open('')).to.throw(TypeError, 'file')
      expect(() => open(':memory:', -1)).to.throw(TypeError, 'busyTimeoutMs')
      const synchronous = Object.assign(Object.create(null), {
        file: ':memory:',
        synchronous: 'OFF',
      })
      expect(() => createSqliteAdapter(synchronous)).to.throw(TypeError, 'synchronous')
    })

    it('when the file is not writable', async function () {
      if (process.getuid?.() === 0) return this.skip()
      const file = newFile()
      await writeFile(file, '')
      await chmod(file, 0o400)
      expect(() => open(file)).to.throw(/writable/)
    })
  })
})

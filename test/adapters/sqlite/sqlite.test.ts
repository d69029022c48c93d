import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { mock } from 'node:test'
import { expect } from 'chai'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { FILE_RULES, openDatabase } from '../../../src/adapters/sqlite/database.ts'
import {
  createSqliteAdapter,
  type SqliteAdapterFactory,
} from '../../../src/adapters/sqlite/index.ts'
import { resolve } from '../../../src/options/rules.ts'
import { newFolder } from '../../support/folder.ts'
import { expectRejection, rejection } from '../servers.ts'

describe('createSqliteAdapter', () => {
  let now = Date.now()
  const opened: SqliteAdapterFactory[] = []
  const newFile = () => join(newFolder(), 'oidc.db')
  const open = (file: string, busyTimeoutMs = 2000) => {
    const factory = createSqliteAdapter({ file, busyTimeoutMs, now: () => now })
    opened.push(factory)
    return factory
  }
  const advance = (seconds: number) => {
    now += seconds * 1000
  }

  after(() => {
    for (const factory of opened) factory.close()
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
        using database = new DatabaseSync(file)
        database
          .prepare('UPDATE oidc_records SET expires_at = ? WHERE model = ? AND id = ?')
          .run(now - 1, model, id)
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

  it('keeps the file to its owner', async () => {
    const file = newFile()
    await open(file)('Session').upsert('s', {}, 60)
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect((await stat(name)).mode & 0o777, name).to.equal(0o600)
    }
  })

  it('I1: uses WAL, and is flushed to the disk as often as synchronous says', () => {
    for (const [synchronous, level] of [
      [undefined, 1],
      ['NORMAL', 1],
      ['FULL', 2],
    ] as const) {
      using database = openDatabase(
        resolve(FILE_RULES, { file: newFile(), synchronous }, 'options'),
      )
      expect(database.prepare('PRAGMA journal_mode').get()).to.include({ journal_mode: 'wal' })
      expect(database.prepare('PRAGMA synchronous').get()).to.include({ synchronous: level })
    }
  })

  it('reads the ended indices of a list from an index alone', async () => {
    const file = newFile()
    open(file)
    using database = new DatabaseSync(file)
    const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT DISTINCT ended_index FROM oidc_records
      WHERE status_list = 'l' AND ended_index IS NOT NULL AND expires_at > 1`)
    expect(JSON.stringify(plan.all())).to.contain('COVERING INDEX oidc_records_ended')
  })

  describe('expired records', () => {
    const count = (file: string) => {
      using database = new DatabaseSync(file)
      const row = database.prepare('SELECT count(*) AS n FROM oidc_records').get()
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
      await expectRejection(factory.deleteExpired({ batchSize: -1 }), TypeError)
    })
  })

  describe('says what to do', () => {
    it('when the folder is not there', () => {
      expect(() => open(join(newFolder(), 'missing', 'a.db'))).to.throw(/Its folder has to exist/)
    })

    it('when this Node binds no numbered parameters, before a file is made', async () => {
      const file = newFile()
      // as Node up to 22.19 and 24.6 does it
      const get = mock.method(StatementSync.prototype, 'get', () => {
        throw new Error('column index out of range')
      })
      try {
        expect(() => open(file)).to.throw(/needs Node 22\.20 or 24\.7, or later: v\d/)
      } finally {
        get.mock.restore()
      }
      expect(await rejection(stat(file))).to.have.property('code', 'ENOENT')
    })

    it('when the file is no database, and leaves it as it is', async () => {
      const file = newFile()
      await writeFile(file, 'not a database, but something else of some length'.repeat(100))
      expect(() => open(file)).to.throw(/not a database/)
      expect(await readFile(file, 'utf8')).to.contain('something else')
    })

    it('when a file has another schema_version, and leaves it as it is', () => {
      const file = newFile()
      using database = new DatabaseSync(file)
      database.exec('PRAGMA user_version = 2')
      expect(() => open(file)).to.throw(
        /its user_version is 2, and this version of the package needs 1 \(see docs\/production\.md#schema_version\)/,
      )
      expect(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).to.include({ n: 0 })
    })

    it('when the file is not writable', async () => {
      const file = newFile()
      await writeFile(file, '')
      await chmod(file, 0o444)
      await chmod(dirname(file), 0o755)
      expect(() => asNobody(() => open(file))).to.throw(/writable/)
    })
  })
})

/** Root can write in spite of the file mode. The process runs `act` as another user. */
function asNobody<T>(act: () => T): T {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65534)
  try {
    return act()
  } finally {
    process.seteuid?.(0)
  }
}

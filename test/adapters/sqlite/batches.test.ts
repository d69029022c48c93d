import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EndingAdapter } from '../../../src/adapters/contract.ts'
import { MAX_BATCH } from '../../../src/adapters/sqlite/batches.ts'
import {
  createSqliteAdapter,
  type SqliteAdapterFactory,
} from '../../../src/adapters/sqlite/index.ts'
import { StorageError } from '../../../src/adapters/storage-error.ts'
import { rejection } from '../servers.ts'

/** SQLITE_BUSY */
const LOCKED = 'SQLite failed: ERR_SQLITE_ERROR 5'

describe('what is asked of SQLite in one turn of the event loop', () => {
  let folder: string
  let file: string
  let factory: SqliteAdapterFactory
  let adapter: EndingAdapter
  /** Another connection to the same file, as another process has it. */
  let other: DatabaseSync

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adapters-sqlite-batches-'))
    file = join(folder, 'oidc.db')
    factory = createSqliteAdapter({ file, busyTimeoutMs: 50 })
    adapter = factory('SubjectToken')
    other = new DatabaseSync(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  })
  afterEach(async () => {
    factory.close()
    other.close()
    await rm(folder, { recursive: true })
  })

  const write = (id: string) => adapter.upsert(id, { jti: id, accountId: 'alice', iat: 1 }, 60)
  const stored = () =>
    other
      .prepare('SELECT id FROM oidc_records ORDER BY id')
      .all()
      .map(({ id }) => id)
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `id-${i + 100}`)

  it('is one transaction; what is asked one after the other is one each', async () => {
    await Promise.all(ids(50).map(write))
    expect(await commits(file)).to.equal(1)
    for (const id of ids(50)) await adapter.consumeOnce(id, { actor: 'olivia' })
    expect(await commits(file)).to.equal(51)
    await Promise.all([factory('Session').upsert('s', {}, 60), adapter.endOnce('id-100', {})])
    expect(await commits(file), 'of several models').to.equal(52)
  })

  it('is there for other processes when it resolves, and for nothing before', async () => {
    const asked = write('a').then(stored)
    const found = adapter.find('a')
    expect(stored()).to.deep.equal([])
    expect(await found, 'reads come before the writes of their turn').to.equal(undefined)
    expect(await asked).to.deep.equal(['a'])
    expect(await adapter.find('a')).to.include({ jti: 'a' })
  })

  it('happens in the order in which it is asked for', async () => {
    const [, first, , second] = await Promise.all([
      write('a'),
      adapter.consumeOnce('a'),
      adapter.destroy('a'),
      adapter.consumeOnce('a'),
      write('b'),
      adapter.destroy('b'),
      write('b'),
    ])
    expect([first, second]).to.deep.equal([true, false])
    expect(stored()).to.deep.equal(['b'])
  })

  it('stores the payload as it was when it was asked for', async () => {
    const payload = { jti: 'a', accountId: 'alice' }
    const asked = adapter.upsert('a', payload, 60)
    payload.accountId = 'mallory'
    await asked
    expect(await adapter.find('a')).to.deep.equal({ jti: 'a', accountId: 'alice' })
  })

  it('consumes each of two records for the first of fifty callers, whose note is kept', async () => {
    await Promise.all(['a', 'b'].map(write))
    const calls = Array.from({ length: 100 }, (_, i) =>
      adapter.consumeOnce(i % 2 ? 'a' : 'b', { actor: `operator-${i}` }),
    )
    const won = await Promise.all(calls)
    expect(won.flatMap((each, i) => (each ? i : []))).to.deep.equal([0, 1])
    expect(await adapter.find('b')).to.deep.include({ note: { actor: 'operator-0' } })
    expect(await adapter.find('a')).to.deep.include({ note: { actor: 'operator-1' } })
  })

  it('ends or consumes a record, whichever is asked first', async () => {
    await Promise.all(['a', 'b'].map(write))
    const asked = [
      adapter.endOnce('a', { at: 1 }),
      adapter.consumeOnce('a', { actor: 'olivia' }),
      adapter.consumeOnce('b', { actor: 'olivia' }),
      adapter.endOnce('b', { at: 2 }),
    ]
    expect(await Promise.all(asked)).to.deep.equal([true, false, true, true])
    expect(await adapter.find('a')).to.not.have.any.keys('note', 'consumed')
  })

  it('finds each record, or fails for each, by itself', async () => {
    const all = ids(2 * MAX_BATCH + 1)
    await Promise.all(all.map(write))
    other.exec("UPDATE oidc_records SET payload = 'no JSON' WHERE id = 'id-105'")
    const settled = await Promise.allSettled([...all, 'absent'].map((id) => adapter.find(id)))
    const values = settled.map((each) => (each.status === 'fulfilled' ? each.value?.jti : 'failed'))
    expect(values).to.deep.equal([...all.with(5, 'failed'), undefined])
  })

  describe('when one of it fails', () => {
    const refuse = (id: string, how: 'ABORT' | 'ROLLBACK' = 'ABORT') =>
      other.exec(`CREATE TRIGGER "refuse ${id}" BEFORE INSERT ON oidc_records WHEN NEW.id = '${id}'
        BEGIN SELECT RAISE(${how}, 'refused'); END`)

    it('fails alone, and nothing of it is stored', async () => {
      await write('used')
      refuse('bad')
      const settled = await Promise.allSettled([
        write('a'),
        write('bad'),
        adapter.consumeOnce('used', { actor: 'first' }),
        adapter.consumeOnce('used', { actor: 'second' }),
        write('z'),
      ])
      expect(
        settled.map((each) => (each.status === 'fulfilled' ? each.value : 'failed')),
      ).to.deep.equal([undefined, 'failed', true, false, undefined])
      expect(stored()).to.deep.equal(['a', 'used', 'z'])
      expect(await adapter.find('used')).to.deep.include({ note: { actor: 'first' } })
    })

    it('fails alone where SQLite itself undoes the transaction, and the others are stored', async () => {
      await write('used')
      // as after some errors, such as a full disk
      refuse('bad', 'ROLLBACK')
      const settled = await Promise.allSettled([
        write('a'),
        adapter.consumeOnce('used', { actor: 'olivia' }),
        write('bad'),
        write('z'),
      ])
      expect(
        settled.map((each) => (each.status === 'fulfilled' ? each.value : 'failed')),
      ).to.deep.equal([undefined, true, 'failed', undefined])
      expect(stored()).to.deep.equal(['a', 'used', 'z'])
      expect(await rejection(write('bad'))).to.be.instanceOf(StorageError)
      expect(await adapter.consumeOnce('used', { actor: 'late' })).to.equal(false)
    })

    it('leaves nothing of itself where it is all that was asked for', async () => {
      refuse('bad')
      expect((await rejection(write('bad'))).message).to.equal(
        'SQLite failed: ERR_SQLITE_ERROR 1811',
      )
      expect(stored()).to.deep.equal([])
    })

    it('fails alone where all fail, each with an error of its own', async () => {
      for (const id of ids(100)) refuse(id)
      const errors = await Promise.all(ids(100).map((id) => rejection(write(id))))
      expect(new Set(errors).size).to.equal(100)
      expect(errors.every((error) => error instanceof StorageError)).to.equal(true)
      await write('a')
      expect(stored()).to.deep.equal(['a'])
    })
  })

  it('fails alone where COMMIT alone finds it, and nothing of it is stored', async () => {
    await Promise.all(['used', 'ended'].map(write))
    // a foreign key that is checked at COMMIT
    other.exec(`CREATE TABLE parents (id TEXT PRIMARY KEY);
      CREATE TABLE children (id TEXT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER orphan AFTER INSERT ON oidc_records WHEN NEW.id = 'bad'
      BEGIN INSERT INTO children VALUES (NEW.id); END`)
    const [bad, ...others] = await Promise.all([
      rejection(write('bad')),
      write('a'),
      adapter.consumeOnce('used', { actor: 'olivia' }),
      adapter.endOnce('ended', { at: 1 }),
    ])
    expect(bad).to.be.instanceOf(StorageError)
    expect(bad.message).to.equal('SQLite failed: ERR_SQLITE_ERROR 787')
    expect(others).to.deep.equal([undefined, true, true])
    expect(stored()).to.deep.equal(['a', 'ended', 'used'])
    // nothing is left open
    expect(await adapter.consumeOnce('used', { actor: 'later' })).to.equal(false)
    expect(await adapter.find('used')).to.deep.include({ note: { actor: 'olivia' } })
    expect(await adapter.endOnce('ended', { at: 2 })).to.equal(false)
  })

  it('fails as a whole when another process keeps the file locked, after one time-out', async () => {
    other.exec('BEGIN IMMEDIATE')
    const run = mock.method(StatementSync.prototype, 'run')
    const errors = await Promise.all(ids(40).map((id) => rejection(write(id))))
    run.mock.restore()
    expect(run.mock.callCount(), 'BEGIN waits once').to.equal(1)
    expect(errors.every(({ message }) => message === LOCKED)).to.equal(true)
    other.exec('ROLLBACK')
    await write('a')
    expect(stored()).to.deep.equal(['a'])
  })

  it(`goes in groups of ${MAX_BATCH}, with other work of the process between them`, async () => {
    let done = false
    const asked = Promise.all(ids(10 * MAX_BATCH + 1).map(write)).then(() => {
      done = true
    })
    const steps: number[] = []
    let before = 0
    while (!done) {
      await nextTurn()
      steps.push(stored().length - before)
      before = stored().length
    }
    await asked
    expect(Math.max(...steps)).to.equal(MAX_BATCH)
    expect(before).to.equal(10 * MAX_BATCH + 1)
    expect(await commits(file)).to.equal(11)
  })

  it('is written before the file closes', async () => {
    const asked = Promise.all([...ids(MAX_BATCH + 10), 'used'].map(write))
    const won = adapter.consumeOnce('used')
    const found = adapter.find('used')
    factory.close()
    await asked
    expect(await found).to.equal(undefined)
    expect(await won).to.equal(true)
    expect(stored()).to.have.length(MAX_BATCH + 11)
    for (const late of [write('late'), adapter.find('used')]) {
      expect(await rejection(late)).to.be.instanceOf(StorageError)
    }
  })

  it('fails when the file closes and cannot be written', async () => {
    other.exec('BEGIN IMMEDIATE')
    const asked = Promise.all(ids(MAX_BATCH + 10).map((id) => rejection(write(id))))
    factory.close()
    expect((await asked).map(({ message }) => message)).to.include(LOCKED)
    other.exec('ROLLBACK')
    expect(stored()).to.deep.equal([])
  })

  it('does not wait for a clock that a test holds still', async () => {
    const real = globalThis.setImmediate
    // @ts-expect-error: never calls back, as fake timers do
    globalThis.setImmediate = () => {}
    try {
      await write('a')
    } finally {
      globalThis.setImmediate = real
    }
    expect(stored()).to.deep.equal(['a'])
  })
})

/**
 * How many transactions are in the WAL file: the frames that say how large the database is then.
 *
 * @see {@link https://www.sqlite.org/fileformat2.html#the_write_ahead_log}
 */
async function commits(file: string): Promise<number> {
  const wal = await readFile(`${file}-wal`)
  const frame = 24 + wal.readUInt32BE(8)
  const salt = wal.readUInt32BE(16)
  let count = 0
  for (let at = 32; at + frame <= wal.length && wal.readUInt32BE(at + 8) === salt; at += frame) {
    if (wal.readUInt32BE(at + 4) > 0) count += 1
  }
  return count
}

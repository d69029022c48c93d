import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { mock } from 'node:test'
import { expect } from 'chai'
import type { EndingAdapter } from '../../../src/adapters/contract.ts'
import {
  createSqliteAdapter,
  type SqliteAdapterFactory,
} from '../../../src/adapters/sqlite/index.ts'
import { StorageError } from '../../../src/adapters/storage-error.ts'
import { newFolder } from '../../support/folder.ts'
import { expectRejection, rejection } from '../servers.ts'

describe('what is written to SQLite in one turn of the event loop', () => {
  let factory: SqliteAdapterFactory
  let adapter: EndingAdapter
  /** Another connection to the same file, as another process has it. */
  let other: DatabaseSync

  beforeEach(() => {
    const file = join(newFolder(), 'oidc.db')
    factory = createSqliteAdapter({ file, busyTimeoutMs: 50 })
    adapter = factory('SubjectToken')
    other = new DatabaseSync(file)
  })
  afterEach(() => {
    factory.close()
    other.close()
  })

  const write = (jti: string) => adapter.upsert(jti, { jti }, 60)
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `id-${i + 100}`)
  const stored = () =>
    other
      .prepare('SELECT id FROM oidc_records ORDER BY id')
      .all()
      .map(({ id }) => id)
  const refuse = (id: string, how: 'ABORT' | 'ROLLBACK') =>
    other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON oidc_records WHEN NEW.id = '${id}'
      BEGIN SELECT RAISE(${how}, 'refused'); END`)

  it('happens in the order in which it is asked for, and is committed when it resolves', async () => {
    const asked = write('a').then(stored)
    const [, first, , second] = await Promise.all([
      write('b'),
      adapter.consumeOnce('b'),
      adapter.destroy('b'),
      adapter.consumeOnce('b'),
    ])
    expect(stored()).to.deep.equal(await asked)
    expect([first, second]).to.deep.equal([true, false])
  })

  it('fails alone if one of it is refused', async () => {
    await write('used')
    refuse('bad', 'ABORT')
    const settled = await Promise.allSettled([
      write('a'),
      write('bad'),
      adapter.consumeOnce('used', { actor: 'first' }),
    ])
    expect(settled.map(({ status }) => status)).to.deep.equal([
      ...['fulfilled', 'rejected', 'fulfilled'],
    ])
    expect(stored()).to.deep.equal(['a', 'used'])
  })

  it('fails as a whole if the commit fails, and nothing is left open', async () => {
    await write('used')
    // A foreign key that is checked at COMMIT.
    other.exec(`CREATE TABLE parents (id TEXT PRIMARY KEY);
      CREATE TABLE children (id TEXT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER orphan AFTER INSERT ON oidc_records WHEN NEW.id = 'bad'
      BEGIN INSERT INTO children VALUES (NEW.id); END`)
    const errors = await Promise.all([write('bad'), adapter.consumeOnce('used')].map(rejection))
    expect(errors.map(({ message }) => message)).to.deep.equal(
      Array(2).fill('SQLite failed: ERR_SQLITE_ERROR 787'),
    )
    expect(stored()).to.deep.equal(['used'])
    expect(await adapter.consumeOnce('used')).to.equal(true)
  })

  it('fails as a whole if another process keeps the file locked, after one time-out', async () => {
    other.exec('BEGIN IMMEDIATE')
    const exec = mock.method(DatabaseSync.prototype, 'exec')
    const run = mock.method(StatementSync.prototype, 'run')
    const errors = await Promise.all(ids(40).map((id) => rejection(write(id))))
    mock.restoreAll()
    expect(exec.mock.callCount() + run.mock.callCount(), 'BEGIN waits once').to.equal(1)
    for (const { message } of errors) expect(message).to.equal('SQLite failed: ERR_SQLITE_ERROR 5')
    other.exec('ROLLBACK')
    await write('a')
    expect(stored()).to.deep.equal(['a'])
  })

  it('is written before the file closes, however much it is', async () => {
    const asked = Promise.all(ids(130).map(write))
    factory.close()
    await asked
    expect(stored()).to.have.length(130)
    for (const late of [write('late'), adapter.find('used')]) {
      await expectRejection(late, StorageError)
    }
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { errorsOf, expectNothingPlanted, PAYLOAD, PLANTED } from './planted.ts'

const MODEL = 'AccessToken'

describe('I6: no error of the SQLite and memory adapters holds a key or a value', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adapters-errors-'))
    file = join(folder, 'oidc.db')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const troubles: Record<string, [sql: string, method: string, resultCode: number]> = {
    'a unique violation': [
      `CREATE UNIQUE INDEX u ON oidc_records (uid);
       INSERT INTO oidc_records (model, id, payload, uid) VALUES ('M', 'x', '{}', '${PLANTED.uid}')`,
      'upsert',
      2067,
    ],
    'a trigger that refuses': [
      `CREATE TRIGGER t BEFORE INSERT ON oidc_records
       BEGIN SELECT RAISE(ABORT, 'not ${PLANTED.id.slice(0, 30)}'); END`,
      'upsert',
      1811,
    ],
    'a table that is gone': ['DROP TABLE oidc_records', 'find', 1],
  }
  for (const [what, [sql, method, resultCode]] of Object.entries(troubles)) {
    it(what, async () => {
      const adapter = createSqliteAdapter({ file, busyTimeoutMs: 0 })
      const other = new DatabaseSync(file)
      other.exec(sql)
      other.close()
      const error = (await errorsOf(adapter(MODEL))).get(method)
      adapter.close()
      expect(error?.message).to.equal(`SQLite failed: ERR_SQLITE_ERROR ${resultCode}`)
      expect(error).to.include({ code: 'ERR_SQLITE_ERROR', driverError: 'Error' })
    })
  }

  it('a file that is locked, and one that is closed', async () => {
    const adapter = createSqliteAdapter({ file, busyTimeoutMs: 0 })
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const locked = (await errorsOf(adapter(MODEL))).get('upsert')
    expect(locked?.message).to.equal('SQLite failed: ERR_SQLITE_ERROR 5')
    other.close()
    adapter.close()
    expect(await errorsOf(adapter(MODEL))).to.have.property('size', 8)
  })

  it('what stands in the store and is no JSON', async () => {
    const adapter = createSqliteAdapter({ file })
    await adapter(MODEL).upsert(PLANTED.id, PAYLOAD, 60)
    const other = new DatabaseSync(file)
    other.exec('UPDATE oidc_records SET payload = substr(payload, 2)')
    other.close()
    const find = adapter(MODEL).find(PLANTED.id)
    const error = await find.catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'find')
    adapter.close()
  })

  it('memory: a life that is no number', async () => {
    const upsert = createMemoryAdapter()(MODEL).upsert(PLANTED.id, PAYLOAD, Number.NaN)
    const error = await upsert.catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'upsert')
  })
})

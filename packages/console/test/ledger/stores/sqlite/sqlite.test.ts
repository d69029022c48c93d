import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { newFolder } from '../../../../../../test/support/folder.ts'
import { skip } from '../../../../../../test/support/skipping.ts'
import type { AuditStore, Batch } from '../../../../src/ledger/store.ts'
import { openDatabase } from '../../../../src/ledger/stores/sqlite/database.ts'
import { createSqliteAudit } from '../../../../src/ledger/stores/sqlite/index.ts'
import { quietly } from '../../../support/quietly.ts'
import {
  assertWholeLog,
  batchOf,
  idOf,
  issued,
  many,
  put,
  readOn,
  rejection,
  removeOne,
  T,
  used,
  writeNow,
  writer,
} from '../contract/support.ts'
import { describeAuditStore } from '../contract.ts'
import { FIRST_PAGES } from '../many-rows.ts'

const run = promisify(execFile)

function hasNumberedParameters() {
  const database = new DatabaseSync(':memory:')
  try {
    return database.prepare('SELECT ?1 AS one').get(1) !== undefined
  } catch {
    return false
  } finally {
    database.close()
  }
}

const newFile = () => join(newFolder(), 'audit.db')

/** Replaces a text in the tables and indices of impersonations. */
const inSchema = (text: string, by: string) => `PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, '${text.replaceAll("'", "''")}', '${by.replaceAll("'", "''")}')
  WHERE tbl_name = 'impersonation_audit_impersonation' AND type <> 'trigger';
  PRAGMA writable_schema = RESET`
/** Does something while they are others. */
const meanwhile = (text: string, by: string, sql: string) =>
  [inSchema(text, by), sql, inSchema(by, text)].join(';')
const OPEN_ALARM =
  "open_alarm_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.openAlarmAt') STORED"

/** Changes of the file. */
const CHANGES: Readonly<Record<string, string>> = {
  'an index that is gone': 'DROP INDEX impersonation_audit_impersonation_held',
  'a trigger that is gone': 'DROP TRIGGER impersonation_audit_words_added',
  'a column that is made of something else': inSchema('$.found.openAlarmAt', '$.found.heldAt'),
  'a column that is written by hand': `${inSchema(OPEN_ALARM, 'open_alarm_at INTEGER')};
    UPDATE impersonation_audit_impersonation SET open_alarm_at = 1`,
  'a column that was written by hand meanwhile': meanwhile(
    ...[OPEN_ALARM, 'open_alarm_at INTEGER'],
    'UPDATE impersonation_audit_impersonation SET open_alarm_at = 1',
  ),
  'a column more': 'ALTER TABLE impersonation_audit_impersonation ADD COLUMN hidden INTEGER',
  'a trigger that keeps rows': `CREATE TRIGGER quiet BEFORE DELETE ON impersonation_audit_impersonation
    BEGIN SELECT RAISE(IGNORE); END`,
  'a trigger with the name of a table of FTS5': `CREATE TRIGGER impersonation_audit_words_data
    BEFORE INSERT ON impersonation_audit_record BEGIN SELECT RAISE(IGNORE); END`,
  'an index of words that lacks those of one row': `INSERT INTO impersonation_audit_words
    (impersonation_audit_words, rowid, words) SELECT 'delete', place, words FROM impersonation_audit_impersonation`,
  'an index of words whose pages a search does not find':
    'DELETE FROM impersonation_audit_words_idx',
  'words of a row that are not those of its JSON': meanwhile(
    ...["words TEXT GENERATED ALWAYS AS (data ->> '$.found.words') STORED", 'words TEXT'],
    "UPDATE impersonation_audit_impersonation SET words = 'other'",
  ),
  'an index that holds less than it says': meanwhile(
    ...['WHERE operator IS NOT NULL', 'WHERE operator IS NULL'],
    'REINDEX impersonation_audit_impersonation_operator',
  ),
  'an index of words that is not that of the rows': `INSERT INTO impersonation_audit_words
    (impersonation_audit_words) VALUES ('delete-all')`,
}

describeAuditStore('SQLite', {
  async create() {
    const file = newFile()
    const run = (sql: string) => {
      using database = new DatabaseSync(file)
      database.enableDefensive?.(false)
      database.exec(sql)
    }
    return { connect: () => createSqliteAudit({ file }), run, async [Symbol.asyncDispose]() {} }
  },
  changes: CHANGES,
})

/** Counts a text in the database and in its -wal file. */
async function occurrences(file: string, text: string) {
  let count = 0
  for (const name of [file, `${file}-wal`]) {
    const bytes = await readFile(name).catch(() => Buffer.alloc(0))
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) count += 1
  }
  return count
}

describe('the audit in SQLite', () => {
  let file: string
  let stores: AuditStore[]
  beforeEach(() => {
    file = newFile()
    stores = []
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
  })

  it('has nothing of what was erased in its files, also of what was written over before', async () => {
    const store = await opened()
    const { write } = writer(store)
    const reason = `Kontoverlust ${'Zwetschgenknödel '.repeat(500)}`
    const names = { user: { name: 'Zoë Xylander', email: 'xylander@example.com' } }
    for (let index = 0; index < 40; index += 1) {
      const about = { names, context: { reason, ticketId: `XYZ-${index}` } }
      await write(issued(`${index}`, T, about))
      await write(issued(`other ${index}`, T, { userId: 'bea' }))
      for (let use = 0; use < 5; use += 1) await write(used(`${index}`, T + use))
    }
    const texts = ['Xylander', 'xylander', 'Kontoverlust', 'Zwetschgen', 'XYZ-1', 'xyz-1']
    expect(await occurrences(file, 'Xylander')).to.be.above(40)
    for (let index = 0; index < 40; index += 1) await removeOne(store, idOf(`${index}`))
    await store.overwriteRemoved()
    for (const text of texts) expect(await occurrences(file, text), text).to.equal(0)
    expect(await store.row(idOf('other 3'))).not.to.equal(undefined)
  })

  it('says that a process that reads keeps what was erased in the -wal file', async () => {
    const store = await opened()
    await put(store, issued('a', T, { names: { user: { name: 'Zoë Xylander' } } }))
    const reader = new DatabaseSync(file)
    reader.exec('BEGIN; SELECT count(*) FROM impersonation_audit_impersonation')
    await removeOne(store, idOf('a'))
    const { stderr } = await quietly(() => store.overwriteRemoved())
    expect(stderr.join()).to.contain('another process reads all the time')
    reader.exec('COMMIT')
    reader.close()
    await store.overwriteRemoved()
    expect(await occurrences(file, 'Xylander')).to.equal(0)
  })

  async function opened(at = file) {
    const store = createSqliteAudit({ file: at })
    stores.push(store)
    await store.open()
    return store
  }

  it('loses nothing of four processes that start and write at once', async () => {
    const script = join(import.meta.dirname, 'writer.ts')
    const args = ['--conditions=oidc-provider-impersonation', script, file, '40']
    await Promise.all(many(4, () => run(process.execPath, args)))
    const store = await opened()
    expect(await store.row(idOf('a'))).to.include({ reads: 320 })
    expect(await readOn(store, undefined, 100)).to.have.length(320)
    await assertWholeLog(store)
  })

  it('I13: flushes each entry to the disk before it says that it is stored', async () => {
    const database = await openDatabase(file)
    expect(database.prepare('PRAGMA synchronous').get()).to.include({ synchronous: 2 })
    database.close()
  })

  it('makes a file that only its owner reads', async () => {
    await put(await opened(), issued('a', T))
    for (const name of ['audit.db', 'audit.db-wal', 'audit.db-shm']) {
      const { mode } = await stat(join(dirname(file), name))
      expect((mode & 0o777).toString(8), name).to.equal('600')
    }
  })

  it('shares the file of the adapter, whichever came first', async function () {
    // The audit works with Node 22.13, the adapter from 22.20 on.
    if (!hasNumberedParameters()) skip(this, 'no Node.js 22.20 or later')
    for (const isFirst of [true, false]) {
      const own = newFile()
      if (isFirst) await put(await opened(own), issued('a', T))
      const adapter = createSqliteAdapter({ file: own })
      await adapter('Session').upsert('id', { jti: 'id' }, 60)
      const store = await opened(own)
      await put(store, used('a', T + 1))
      expect(await store.row(idOf('a'))).to.include({ reads: 1 })
      expect(await adapter('Session').find('id')).to.include({ jti: 'id' })
      adapter.close()
    }
  })

  it('waits while another process writes, reads meanwhile, and lets this process work', async () => {
    const store = await opened()
    await put(store, issued('a', T))
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    let isStored = false
    const stored = put(store, used('a', T + 1)).then(() => {
      isStored = true
    })
    let longest = 0
    const began = performance.now()
    for (let last = began; last - began < 300; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    // A wait inside SQLite would be one of its time limit, and no slow machine stops a turn for so long.
    expect(longest).to.be.below(2000)
    expect(await store.row(idOf('a'))).to.include({ reads: 0 })
    expect(isStored).to.equal(false)
    other.exec('COMMIT')
    other.close()
    await stored
    expect(await store.row(idOf('a'))).to.include({ reads: 1 })
  })

  it('stores nothing of a batch that fails in the middle', async () => {
    const store = await opened()
    const batch = await batchOf(store, issued('a', T), used('a', T + 1))
    const other = new DatabaseSync(file)
    other.exec('ALTER TABLE impersonation_audit_impersonation RENAME TO away')
    expect(await rejection(writeNow(store, batch))).to.be.instanceOf(Error)
    other.exec('ALTER TABLE away RENAME TO impersonation_audit_impersonation')
    other.close()
    expect(await readOn(store)).to.deep.equal([])
    await writeNow(store, batch)
    expect(await store.row(idOf('a'))).to.include({ reads: 1 })
  })

  it('compares what a search looks at while another process writes, and waits for nobody', async () => {
    const store = await opened()
    const names = many(500, (index) => `${index}`)
    await put(store, ...names.map((name) => issued(name, T)))
    using other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    await store.assertSchema()
    await (await opened()).row(idOf('1'))
    other.exec('COMMIT')
    // Rows that go and come leave an index that is another one, and whole.
    for (const name of names.slice(0, 50)) await removeOne(store, idOf(name))
    await put(store, ...names.slice(0, 20).map((name) => used(name, T + 1)))
    await store.assertSchema()
  })

  it('says what is wrong with a file that cannot be used', async () => {
    const noFolder = createSqliteAudit({ file: join(dirname(file), 'none', 'audit.db') })
    expect(await rejection(noFolder.open())).to.match(/folder/)
    await writeFile(file, 'this is no database, but a text that is long enough to be read')
    expect(await rejection(createSqliteAudit({ file }).open())).to.match(/not a database/)
  })

  it('rejects after it was closed, and before it was opened', async () => {
    const store = createSqliteAudit({ file })
    const batch: Batch = { entries: [], sums: [], slots: [] }
    expect(await rejection(writeNow(store, batch))).to.match(/not open/)
    await store.open()
    await put(store, issued('a', T))
    await store.close()
    expect(await rejection(store.row(idOf('a')))).to.match(/not open/)
    await store.open()
    expect(await store.row(idOf('a'))).to.include({ at: T })
    await store.close()
  })

  it('finds each first page and each date by an index, and sorts nothing', async () => {
    const store = await opened()
    const other = new DatabaseSync(file)
    const { prepare } = DatabaseSync.prototype
    try {
      for (const filter of FIRST_PAGES) {
        for (const before of [undefined, `${T}.${idOf('a')}`]) {
          let asked = ''
          DatabaseSync.prototype.prepare = function (text) {
            asked = text
            return prepare.call(this, text)
          }
          await store.find(filter, { before, limit: 20, now: T })
          DatabaseSync.prototype.prepare = prepare
          // The same statement as the one before.
          if (asked === '') continue
          // The plan does not depend on the values.
          const plan = other
            .prepare(`EXPLAIN QUERY PLAN ${asked}`)
            .all(...Array.from(asked.matchAll(/\?/g), () => 1))
            .map(({ detail }) => detail)
            .join('\n')
          expect(plan, JSON.stringify(filter)).to.match(
            /USING INDEX impersonation_audit_impersonation_/,
          )
          expect(plan, JSON.stringify(filter)).to.not.match(/TEMP B-TREE/)
          if (filter.due) expect(plan).to.match(/_impersonation_customer_due/)
        }
      }
    } finally {
      DatabaseSync.prototype.prepare = prepare
      other.close()
    }
  })

  it('refuses options that are wrong', () => {
    for (const keepFor of [0, -1, 1.5, Number.NaN]) {
      expect(() => createSqliteAudit({ file: 'a', keepFor })).to.throw(TypeError, 'keepFor')
    }
    expect(() => createSqliteAudit({ file: '' })).to.throw(TypeError, 'file')
    expect(createSqliteAudit({ file: 'a', keepFor: 60 }).keepFor).to.equal(60)
  })
})

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { type ClientBase, Pool } from 'pg'
import { suiteOn } from '../../../../../../test/adapters/servers.ts'
import { renewed } from '../../../../../../test/support/shared.ts'
import { pendingOf } from '../../../../src/ledger/recording/compose.ts'
import type { Batch } from '../../../../src/ledger/store.ts'
import {
  createPostgresAudit,
  type PostgresPool,
  type PostgresQuery,
} from '../../../../src/ledger/stores/postgres/index.ts'
import { quietly } from '../../../support/quietly.ts'
import { expectSetAside } from '../../recording/expect-set-aside.ts'
import {
  batchOf,
  exported,
  idOf,
  issued,
  many,
  NO_END,
  put,
  readOn,
  rejection,
  removeOld,
  T,
  used,
  writeNow,
  writer,
} from '../contract/support.ts'
import { describeAuditStore } from '../contract.ts'
import { FIRST_PAGES } from '../many-rows.ts'
import { newDatabase, newSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

/** Changes of the database. */
const CHANGES: Readonly<Record<string, string>> = {
  'an index that is gone': 'DROP INDEX impersonation_audit_impersonation_held',
  'a table that is gone': 'DROP TABLE impersonation_audit_seal',
  'a column that is no longer made of the row':
    'ALTER TABLE impersonation_audit_impersonation DROP alarm_at, ADD alarm_at bigint; ' +
    'CREATE INDEX impersonation_audit_impersonation_alarm ON impersonation_audit_impersonation (at, id) WHERE alarm_at IS NOT NULL',
  'a column that is made of something else': `ALTER TABLE impersonation_audit_record DROP slot,
    ADD slot text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED`,
  'words that are written by hand':
    'ALTER TABLE impersonation_audit_impersonation DROP words, ADD words tsvector; ' +
    'CREATE INDEX impersonation_audit_impersonation_words ON impersonation_audit_impersonation USING gin (words)',
  'a function that writes something else': `CREATE OR REPLACE FUNCTION impersonation_audit_remove(sums json, alone json)
    RETURNS bigint LANGUAGE sql AS 'SELECT CAST(0 AS bigint)'`,
  'a table that a crash empties': 'ALTER TABLE impersonation_audit_impersonation SET UNLOGGED',
  'an index on something else': `DROP INDEX impersonation_audit_impersonation_held;
    CREATE INDEX impersonation_audit_impersonation_held ON impersonation_audit_impersonation (id, at) WHERE held_at IS NOT NULL`,
  'a check that is gone':
    'ALTER TABLE impersonation_audit_impersonation DROP CONSTRAINT impersonation_audit_impersonation_check',
  'a rule by which nothing is deleted':
    'CREATE RULE quiet AS ON DELETE TO impersonation_audit_impersonation DO INSTEAD NOTHING',
  'rows that are hidden': 'ALTER TABLE impersonation_audit_impersonation ENABLE ROW LEVEL SECURITY',
  'rows of another table': 'CREATE TABLE more () INHERITS (impersonation_audit_impersonation)',
  'a view in the place of a table': `ALTER TABLE impersonation_audit_impersonation RENAME TO away;
    CREATE VIEW impersonation_audit_impersonation AS SELECT * FROM away`,
  'an index that is not valid': `UPDATE pg_index SET indisvalid = false
    WHERE indexrelid = 'impersonation_audit_impersonation_held'::regclass`,
  'a trigger that is not of the audit': `CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER away BEFORE INSERT ON impersonation_audit_impersonation
    FOR EACH ROW EXECUTE FUNCTION away()`,
}

describeAuditStore(
  'PostgreSQL',
  {
    async create() {
      const { pool, ...schema } = await newSchema()
      const connect = () => createPostgresAudit({ pool: pool() })
      return { ...schema, connect, run: (sql) => pool().query(sql) }
    },
    changes: CHANGES,
  },
  suite,
)

suite('the audit in PostgreSQL', () => {
  const database = renewed(newSchema)

  async function opened(pool: PostgresPool = database.pool()) {
    const store = createPostgresAudit({ pool })
    await store.open()
    return store
  }

  it('creates its tables once, where eight processes start at once', async () => {
    const stores = many(8, () => createPostgresAudit({ pool: database.pool() }))
    await Promise.all(stores.map((store) => store.open()))
    await Promise.all(stores.map((store, index) => put(store, issued('a', T + index))))
    expect(await stores[0]?.entries({ limit: 100 })).to.have.length(8)
  })

  it('I17: sets aside what a rule of the database refuses, and stores what comes after', async () => {
    const store = await opened()
    await put(store, issued('a', T))
    const { schema, admin } = database
    const rule = "CHECK (text !~ '/orders')"
    await admin.query(`ALTER TABLE ${schema}.impersonation_audit_entry ADD ${rule}`)
    await expectSetAside(store)
  })

  it('refuses tables of an older version, and says what to do', async () => {
    const pool = database.pool()
    await pool.query('CREATE TABLE impersonation_audit_entry (id bigint)')
    const store = createPostgresAudit({ pool })
    expect(await rejection(store.open())).to.match(/older version.*drop these tables/)
  })

  it('needs no right to create tables where they exist', () =>
    withRole(database, async (user, grant) => {
      const pool = () => database.pool({ user })
      const refused = await rejection(createPostgresAudit({ pool: pool() }).open())
      expect(refused).to.be.instanceOf(Error).and.to.include({ code: '42501' })
      await opened()
      await grant('SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA')
      const store = await opened(pool())
      await put(store, issued('a', T), used('a', T + 1), exported(T))
      await store.addSeal({ number: 1, last: 3, jws: 'jws', mac: 'm' })
      expect(await removeOld(store, T + 1000, 10)).to.equal(2)
      expect(await readOn(store)).to.have.length(3)
    }))

  it('gives the newest seals to a role that may read them, and nothing else', () =>
    withRole(database, async (user) => {
      const { admin, schema, pool } = database
      const store = await opened()
      await put(store, issued('a', T))
      await store.addSeal({ number: 1, last: 1, jws: 'one', mac: 'm' })
      await admin.query(`GRANT SELECT ON ${schema}.impersonation_audit_seal TO ${user}`)
      const read = createPostgresAudit({ pool: pool({ user }) })
      expect(await read.seals(24)).to.deep.equal(['one'])
      expect(await rejection(read.entries({ limit: 1 }))).to.include({ code: '42501' })
    }))

  it('says which right a role lacks that may make no temporary tables', async () => {
    await using own = await newDatabase()
    await createPostgresAudit({ pool: own.pool() }).open()
    await withRole(own, async (user, grant) => {
      await grant('SELECT ON ALL TABLES IN SCHEMA')
      await own.admin.query(
        "DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$",
      )
      const store = createPostgresAudit({ pool: own.pool({ user }) })
      expect(await rejection(store.open())).to.match(/GRANT TEMPORARY ON DATABASE/)
    })
  })

  it('compares its tables twice at most for ten exports that begin together', async () => {
    const pool = database.pool()
    let connections = 0
    const store = await opened({
      query: (query) => pool.query(query),
      connect() {
        connections += 1
        return pool.connect()
      },
    })
    connections = 0
    await Promise.all(many(10, () => store.assertSchema()))
    expect(connections).to.equal(1)
  })

  it('finds out what became of a batch whose answer was lost, and stores it once', async () => {
    const name = `audit-${randomUUID()}`
    const broken = database.pool({ name })
    const isWrite = ({ text }: PostgresQuery) => text.includes('impersonation_audit_write(')
    let loses: 'answer' | 'statement' | undefined
    const store = await opened({
      connect: () => broken.connect(),
      async query(query) {
        if (!isWrite(query) || !loses) return broken.query(query)
        if (loses === 'answer') await broken.query(query)
        loses = undefined
        await end(database.admin, name)
        throw new Error('the connection is lost')
      },
    })
    for (const [index, what] of (['answer', 'statement'] as const).entries()) {
      const { log } = writer(store)
      loses = what
      const pending = [issued(what, T), exported(T)].map(pendingOf)
      const { stderr } = await quietly(() => log.append(pending, NO_END))
      expect(stderr.join()).to.include('the storage takes entries again')
      expect(await readOn(store)).to.have.length(2 * index + 2)
    }
  })

  it('is hindered by no process that stands still after its statement', async () => {
    const [store, other] = await Promise.all([opened(), opened()])
    const batch = await batchOf(store, issued('a', T))
    // Nothing of the statement is left on the server that another one could wait for.
    const [written, began] = [writeNow(store, batch), performance.now()]
    await put(other, issued('b', T))
    expect(performance.now() - began).to.be.below(2000)
    expect(await written).to.include({ is: 'stored' })
  })

  it('refuses a search_path in which something stands before pg_catalog', async () => {
    const { admin, schema, pool } = database
    await admin.query(`CREATE FUNCTION ${schema}.eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
      CREATE OPERATOR ${schema}.= (LEFTARG = text, RIGHTARG = text, FUNCTION = ${schema}.eq)`)
    await opened()
    const level = `-c search_path=${schema},pg_catalog`
    const error = await rejection(createPostgresAudit({ pool: pool({ level }) }).open())
    expect(error).to.include({ code: 'ERR_AUDIT_SCHEMA' })
    expect(error).to.match(/search_path/)
  })

  it('leaves nothing on the connections of the pool, which it shares with the deployment', async () => {
    const pool = database.pool()
    const store = await opened(pool)
    await store.assertSchema()
    for (let n = 0; n < 3; n += 1) await put(store, used('a', T + n))
    await store.close()
    const { rows } = await pool.query(
      "SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname LIKE 'impersonation%'",
    )
    expect(rows).to.deep.equal([])
    const path = (await pool.query('SHOW search_path')).rows
    expect(path).to.deep.equal([{ search_path: database.schema }])
    const session = await pool.connect()
    const untouched = await database.pool().connect()
    const listeners = [session, untouched].map((each) => each.listenerCount('error'))
    session.release()
    untouched.release()
    expect(listeners[0]).to.equal(listeners[1])
  })

  it('rejects while the server is away, and never answers that there is nothing', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: 1, user: 'postgres' })
    const store = createPostgresAudit({ pool })
    const batch: Batch = { entries: [], sums: [], slots: [] }
    for (const [name, ask] of Object.entries({
      open: () => store.open(),
      write: () => writeNow(store, batch),
      sums: () => store.sums(['a']),
      find: () => store.find({}, { limit: 1, now: T }),
      countNewer: () => store.countNewer({}, { at: T, id: 'a' }, T),
      row: () => store.row('a'),
      permit: () => store.permit('a'),
      entries: () => store.entries({ limit: 1 }),
      remove: () => store.remove({ sums: [], alone: [] }),
      seals: () => store.seals(1),
    })) {
      expect(await rejection(ask()), name).to.be.instanceOf(Error)
    }
    await pool.end()
  })

  it('waits while another process writes, and reads meanwhile', async () => {
    const [store, other] = await Promise.all([opened(), opened()])
    await put(store, issued('a', T))
    const holder = await database.pool().connect()
    await holder.query('BEGIN')
    await holder.query(`SELECT pg_advisory_xact_lock(
      hashtext('oidc-provider-impersonation'), hashtext('impersonation_audit_entry'))`)
    let isStored = false
    const stored = put(store, used('a', T + 1)).then(() => {
      isStored = true
    })
    await waitsForLock(database.admin, database.schema)
    expect(await other.row(idOf('a'))).to.include({ reads: 0 })
    expect((await other.find({}, { limit: 9, now: T })).rows).to.have.length(1)
    expect(isStored).to.equal(false)
    await holder.query('COMMIT')
    holder.release()
    await stored
    expect(await other.row(idOf('a'))).to.include({ reads: 1 })
  })

  it('keeps and finds texts that are too long for an index, and cannot be compressed', async () => {
    const store = await opened()
    const [ticket, userId, operator] = [randomText(), randomText(), randomText()]
    const mayAct = { sub: operator, clientId: 'shop' }
    const context = { ticketId: ticket, reason: randomText() }
    await put(store, issued('a', T, { userId, mayAct, context }), issued('b', T))
    for (const filter of [{ ticket }, { customer: userId }, { operator }]) {
      const { rows } = await store.find(filter, { limit: 9, now: T })
      expect(rows.map(({ id }) => id)).to.deep.equal([idOf('a')])
    }
  })

  it('writes from several pools also where transactions are serializable by default', async () => {
    const { admin, schema, pool } = database
    const level = '-c default_transaction_isolation=serializable'
    const stores = await Promise.all([1, 2, 3].map(() => opened(pool({ level }))))
    await Promise.all(
      stores.map(async (store, from) => {
        const { write } = writer(store)
        for (let number = 0; number < 20; number += 1) await write(used('a', T + from + number))
      }),
    )
    expect(await stores[0]?.row(idOf('a'))).to.include({ reads: 60 })
    const { rows } = await admin.query(
      `SELECT count(*)::int FROM ${schema}.impersonation_audit_entry`,
    )
    expect(rows).to.deep.equal([{ count: 60 }])
  })

  it('finds what it has stored also where a transaction sees nothing that came after its begin', async () => {
    const { admin, schema, pool } = database
    const readers = pool({ level: '-c default_transaction_isolation=serializable' })
    const holder = await readers.connect()
    const store = await opened({
      connect: () => readers.connect(),
      query: (query) => holder.query(query),
    })
    const other = await opened(readers)
    const batch = await batchOf(other, issued('a', T))
    await holder.query('BEGIN')
    const deadline = other.deadlineIn(200)
    expect(await store.write(batch, deadline)).to.deep.equal({ is: 'stored', number: 1 })
    await delay(250)
    const again = other.write(batch, deadline)
    await waitsForLock(admin, schema)
    await holder.query('COMMIT')
    holder.release()
    expect(await again).to.deep.equal({ is: 'stored', number: 1 })
  })

  it('has the time of the server, whatever operators are in its schema', async () => {
    const pool = database.pool()
    await opened(pool)
    await pool.query(`CREATE FUNCTION one(numeric, integer) RETURNS numeric LANGUAGE sql AS 'SELECT 1.0';
      CREATE OPERATOR * (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = one)`)
    const store = await opened(database.pool())
    await put(store, issued('a', T))
    expect(store.deadlineIn(0)).to.be.closeTo(Date.now(), 60_000)
  })

  it('finds each first page and each date by an index, and sorts nothing', async () => {
    const asked: { text: string; values?: unknown[] }[] = []
    const pool = database.pool()
    const store = await opened({
      connect: () => pool.connect(),
      query(query) {
        asked.push(query)
        return pool.query(query)
      },
    })
    const { write } = writer(store)
    for (let from = 0; from < 4000; from += 500) {
      const names = many(500, (index) => from + index)
      await write(
        ...names.map((number) =>
          issued(`${number}`, T + number * 1000, {
            userId: `customer-${number % 100}`,
            mayAct: { sub: `operator-${number % 10}`, clientId: 'shop' },
            context: { ticketId: `SUP-${number}`, reason: 'Order lost' },
          }),
        ),
      )
    }
    await pool.query('ANALYZE')
    for (const filter of FIRST_PAGES) {
      for (const before of [undefined, `${T + 3_000_000}.${idOf('3000')}`]) {
        asked.length = 0
        await store.find(filter, { before, limit: 20, now: T })
        const [{ text = '', values = [] } = {}] = asked
        const { rows } = await pool.query(`EXPLAIN ${text}`, values)
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        expect(plan, JSON.stringify(filter)).to.match(/Index Scan/)
        expect(plan, JSON.stringify(filter)).to.not.match(/Seq Scan|Sort/)
      }
    }
  })

  it('refuses options that are wrong', () => {
    const pool = database.pool()
    expect(() => createPostgresAudit({ pool, keepFor: 0 })).to.throw(TypeError, 'keepFor')
    // A caller in JavaScript can hand this in.
    const wrong = { pool: {} } as unknown as Parameters<typeof createPostgresAudit>[0]
    expect(() => createPostgresAudit(wrong)).to.throw(TypeError, 'pool')
    const prepare = 'no' as unknown as boolean
    expect(() => createPostgresAudit({ pool, prepare })).to.throw(TypeError, 'prepare')
    expect(createPostgresAudit({ pool, keepFor: 60 }).keepFor).to.equal(60)
  })
})

/** A role that may use the schema. @param grant e.g. `SELECT ON ALL TABLES IN SCHEMA` */
async function withRole(
  { admin, schema }: Awaited<ReturnType<typeof newSchema>>,
  use: (user: string, grant: (what: string) => Promise<unknown>) => Promise<void>,
) {
  const user = `audit_role_${randomUUID().replaceAll('-', '')}`
  await admin.query(`CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${user}`)
  try {
    await use(user, (what) => admin.query(`GRANT ${what} ${schema} TO ${user}`))
  } finally {
    await admin.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`)
  }
}

/** 4000 characters that have nothing in common. */
function randomText() {
  return randomBytes(3000).toString('base64url')
}

/** Ends the connections of a pool, and waits until they are gone. */
async function end(admin: ClientBase, name: string) {
  await admin.query(
    'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1',
    [name],
  )
}

async function waitsForLock(admin: ClientBase, name: string) {
  for (;;) {
    const { rows } = await admin.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'advisory'",
      [name],
    )
    if (rows.length > 0) return
    await delay(5)
  }
}

import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { Client } from 'pg'
import { POSTGRES_URL } from '../../../../../test/support/server-urls.ts'
import { onEachKind, type StorageKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { later } from '../../support/clock.ts'
import type { Answer, Deployment } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'

const DAY = 86_400_000

/** Texts that lead to Alice, or were written about her. */
const HERS = ['alice', 'Alice Ng', 'alice@example.com', 'TCK-77', 'Zebra', 'Giraffe']
const OF_PEOPLE = ['Vicuna', 'Quagga', 'Llama', 'Okapi', 'Tapir', 'Lemur', 'Ibex']

type Ask = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** Asks the database itself. */
async function asking<T>(kind: StorageKind, place: string, work: (ask: Ask) => Promise<T>) {
  if (kind === 'sqlite') {
    const database = new DatabaseSync(place)
    const done = await work(async (sql) => database.prepare(sql).all())
    database.close()
    return done
  }
  const client = new Client({ connectionString: POSTGRES_URL, options: `-c search_path=${place}` })
  await client.connect()
  const done = await work(async (sql) => (await client.query(sql)).rows)
  await client.end()
  return done
}

const TABLES: Readonly<Record<StorageKind, string>> = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  postgres:
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
}

/** All that the tables have, by their names, and of SQLite the file as well. */
async function dump(kind: StorageKind, place: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const shown = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
  await asking(kind, place, async (ask) => {
    for (const { name } of await ask(TABLES[kind]))
      texts.set(String(name), JSON.stringify(await ask(`SELECT * FROM "${name}"`), shown))
  })
  for (const file of kind === 'sqlite' ? ['', '-wal'] : [])
    texts.set(`the file${file}`, await readFile(`${place}${file}`, 'latin1').catch(() => ''))
  return texts
}

function found(texts: ReadonlyMap<string, string>) {
  return [...texts].flatMap(([table, text]) =>
    [...HERS, ...OF_PEOPLE]
      .filter((each) => text.toLowerCase().includes(each.toLowerCase()))
      .map((each) => `${table}: ${each}`),
  )
}

describe('what is left of a person in the database', () => {
  onEachKind.it('is nothing after an erasure, whatever happened before', async (kind, place) => {
    const own = await storeAt(kind, place)
    const rule: Authorize = (request) => request.context.reason !== 'Quagga' && RULE(request)
    const adapter = createMemoryAdapter()
    const deployment = await deployWithPermits(rule, {
      adapter,
      audit: own.store,
      console: {
        mayErase: ({ accountId }) => ['ada', 'grace'].includes(accountId),
        notices: { send: async () => {} },
        onAlarm: async () => {},
      },
    })
    try {
      await happen(deployment)
      const before = found(await dump(kind, place))
      for (const each of [...HERS, ...OF_PEOPLE])
        expect(
          before.some((line) => line.endsWith(`: ${each}`)),
          each,
        ).to.equal(true)
      const { rows } = ok(await deployment.ask('ada', '/audit'))
      // The provider keeps them for 75 minutes.
      for (const { id } of rows) await adapter('SubjectToken').destroy(id)
      await later(9 * DAY, () => erase(deployment))
      const after = await dump(kind, place)
      expect(found(after)).to.deep.equal([])
    } finally {
      await deployment[Symbol.asyncDispose]()
      await own.close()
    }
  })
})

const READ = { access: 'read' }

const ok = ({ status, text, body }: Answer) => {
  expect(status, text).to.be.within(200, 299)
  return body
}

async function happen(at: Deployment) {
  const { ask } = at
  const about = { userId: 'alice', ticketId: 'TCK-77', reason: 'Zebra', application: 'shop' }
  const { record } = ok(await ask('olivia', '/permits', { ...about, access: 'change' }))
  ok(await ask('grace', `/records/${record.id}/granted`, { note: 'Giraffe' }))
  const changed = await at.impersonate({ ticket: 'TCK-77', reason: 'Zebra' })
  for (let times = 0; times < 3; times += 1) await changed.change()
  await changed.refused()
  expect(await changed.replay()).to.equal(400)
  const denied = await ask('olivia', '/impersonations', { ...about, ...READ, reason: 'Quagga' })
  expectStatus(denied, 403)
  // It is olivia's.
  const { body: handOver } = await ask('olivia', '/impersonations', { ...about, ...READ })
  expect(await at.exchange('oscar', handOver).catch(String)).to.match(/not exchanged/)
  const asked = { ...about, access: 'change', emergency: 'Vicuna' }
  const { record: urgent } = ok(await ask('oscar', '/permits/emergency', asked))
  ok(await ask('grace', `/records/${urgent.id}/reviewed`, { note: 'Lemur' }))
  ok(await at.account('alice', '/objection', { id: changed.id, note: 'Llama' }))
  expectStatus(await ask('olivia', '/impersonations', { ...about, access: 'read' }), 403)
  const { inbox } = ok(await ask('grace', ''))
  const stop = inbox.records.find(({ kind }: { kind: string }) => kind === 'stop')
  ok(await ask('grace', `/records/${stop.id}/lifted`, { note: 'Okapi' }))
  const { rows } = ok(await ask('grace', '/audit'))
  for (const { id } of rows) {
    ok(await ask('ada', `/audit/${id}/hold`, { note: 'Tapir' }))
    ok(await ask('ada', `/audit/${id}/release`, { note: 'Ibex' }))
    await ask('grace', `/audit/${id}/acknowledge`, { alarms: 99, note: 'Ibex' })
  }
  const exports = ['customer=alice', 'text=Alice+Ng', 'ticket=TCK-77', 'text=alice@example.com']
  for (const filter of exports) {
    ok(await ask('ada', `/audit/export.csv?${filter}`))
    ok(await ask('ada', `/records/export.csv?${filter}`))
  }
}

async function erase(at: Deployment) {
  const { ask } = at
  const [ada, grace] = await Promise.all(
    ['ada', 'grace'].map(async (who) => ({ token: (await at.signIn(who)).accessToken })),
  )
  ok(await ask(ada, '/personal-data/alice/export.jsonl'))
  const asked = ok(await ask(ada, '/personal-data/alice/erase', { note: 'DPO-12' }))
  ok(await ask(grace, `/records/${asked.id}/confirmed`, { note: 'Seen' }))
  await at.settled()
}

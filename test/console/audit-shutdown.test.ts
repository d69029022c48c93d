import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Client } from 'pg'
import { inCi, POSTGRES_URL, reachable } from '../adapters/servers.ts'
import { quietly } from '../example-provider/quietly.ts'
import { signIn, start } from '../example-provider/support.ts'
import { act } from './audit-support.ts'

describe('console: entries on their way while the server stops', function () {
  this.timeout(120_000)
  const database = `shutdown_${randomUUID().replaceAll('-', '')}`
  const url = new URL(POSTGRES_URL)
  url.pathname = `/${database}`

  async function connected(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString })
    await client.connect()
    return client
  }

  async function administer(sql: string): Promise<void> {
    const client = await connected(POSTGRES_URL)
    await client.query(sql)
    await client.end()
  }

  let created = false
  before(async function () {
    if (!(await reachable(POSTGRES_URL, 5432))) {
      if (inCi) throw new Error('PostgreSQL is not running')
      this.skip()
    }
    await administer(`CREATE DATABASE ${database}`)
    created = true
  })
  after(async () => {
    if (created) await administer(`DROP DATABASE ${database} WITH (FORCE)`)
  })

  it('are stored before the storage is closed, however slow it is', async () => {
    const example = await start({ STORAGE_URL: url.href })
    const olivia = await signIn(example.url)
    const other = await connected(url.href)
    await other.query('BEGIN')
    await other.query('LOCK TABLE support_audit IN EXCLUSIVE MODE')
    const { stderr } = await quietly(async () => {
      await act(example.url, olivia)
      await act(example.url, olivia)
      const closed = example.close()
      await wait(300)
      await other.query('COMMIT')
      await closed
    })
    const { rows } = await other.query(`SELECT entry::json->>'event' AS event FROM support_audit`)
    await other.end()
    expect(stderr).to.deep.equal([])
    expect(rows.map(({ event }) => event)).to.deep.equal([
      'impersonation.issued',
      'impersonation.granted',
      'impersonation.issued',
      'impersonation.granted',
    ])
  })
})

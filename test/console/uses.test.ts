import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { quietly } from '../example-provider/quietly.ts'
import {
  type Answer,
  type Example,
  postJson,
  send,
  signIn,
  start,
  temporaryFolder,
} from '../example-provider/support.ts'
import { act, bearer, entriesOf, get, type Item, signInToAccount, WHY } from './audit-support.ts'

const WRITING = { ...WHY, scope: 'orders:read orders:write' }
const USED = 'impersonation.used'

describe('console: what operators did, in the audit', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file: string
  let example: Example

  before(async () => {
    folder = await temporaryFolder()
    file = join(folder.path, 'audit.sqlite')
    example = await startHere()
  })
  after(async () => {
    await example.close()
    await folder[Symbol.asyncDispose]()
  })

  const startHere = () => start({ STORAGE_URL: `sqlite:${file}`, DATA_DIR: folder.path })

  const ask = (path: string, method: string, token: string, json: object): Promise<Answer> =>
    send(`${example.url}${path}`, {
      method,
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })

  /** The uses that the audit has of one impersonation, oldest first. */
  async function usesOf(id: string, olivia: string, count: number): Promise<Item[]> {
    for (;;) {
      const found = await get(`${example.url}/support/audit?event=${USED}&limit=100`, olivia)
      const uses = entriesOf(found).filter((entry) => entry.id === id)
      if (uses.length >= count) return uses.toReversed()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  it('keeps every read, change and refused act, under its impersonation, over a restart', async () => {
    const olivia = await signIn(example.url)
    const { accessToken, jti } = await act(example.url, olivia, WRITING, WRITING.scope)
    const id = jti.replace('impersonation:', '')
    expect((await get(`${example.url}/orders?secret=1`, accessToken)).status).to.equal(200)
    const note = await ask('/orders/A-1003', 'PATCH', accessToken, { deliveryNote: 'Ring' })
    expect(note.status).to.equal(200)
    const email = await ask('/orders/email', 'PUT', accessToken, { email: 'o@example.com' })
    expect(email.status).to.equal(403)

    const expected = [
      { method: 'GET', path: '/orders', status: 200 },
      { method: 'PATCH', path: '/orders/A-1003', status: 200 },
      { method: 'PUT', path: '/orders/email', status: 403 },
    ]
    const look = async () => {
      const uses = await usesOf(id, olivia, expected.length)
      expect(uses).to.have.length(expected.length)
      for (const [at, use] of uses.entries()) {
        expect(use).to.deep.include({ event: USED, subject: 'alice', client: 'support-console' })
        expect(use.actor).to.deep.equal({ sub: 'olivia' })
        expect(use.use).to.deep.include(expected[at])
      }
      expect(uses[2]?.use).to.have.nested.property('refused.by', 'impersonation')
    }
    await look()
    const address = new URL(example.url)
    await example.close()
    example = await start({
      STORAGE_URL: `sqlite:${file}`,
      DATA_DIR: folder.path,
      PORT: address.port,
      SHOP_PORT: '0',
    })
    await look()
  })

  it('shows requests where they are asked for, and keeps the list of impersonations short', async () => {
    const olivia = await signIn(example.url)
    const { accessToken } = await act(example.url, olivia, WRITING, WRITING.scope)
    await get(`${example.url}/orders`, accessToken)
    const all = entriesOf(await get(`${example.url}/support/audit?limit=100`, olivia))
    expect(all.map(({ event }) => event)).to.include('impersonation.granted')
    expect(all.map(({ event }) => event)).not.to.include(USED)
  })

  it('keeps nothing of a customer in person', async () => {
    const count = async (token: string) =>
      entriesOf(await get(`${example.url}/support/audit?event=${USED}&limit=100`, token)).length
    const olivia = await signIn(example.url)
    const before = await count(olivia)
    const alice = await signInToAccount(example.url, 'alice')
    await get(`${example.url}/orders`, alice)
    const { accessToken, jti } = await act(example.url, olivia, WRITING, WRITING.scope)
    await get(`${example.url}/orders`, accessToken)
    await usesOf(jti.replace('impersonation:', ''), olivia, 1)
    expect(await count(olivia)).to.equal(before + 1)
  })

  it('I13: while the audit cannot be stored, operators wait and customers do not; nothing is lost', async () => {
    const olivia = await signIn(example.url)
    const { accessToken, jti } = await act(example.url, olivia, WRITING, WRITING.scope)
    using database = new DatabaseSync(file)
    database.exec('PRAGMA busy_timeout = 5000')
    const answers: Answer[] = []
    await quietly(async () => {
      database.exec('ALTER TABLE support_audit RENAME TO elsewhere')
      for (let sent = 0; sent < 1100; sent += 50) {
        const some = Array.from({ length: 50 }, () => get(`${example.url}/orders`, accessToken))
        answers.push(...(await Promise.all(some)))
      }
      // Without an impersonated token there is nothing to record: 401, and not 503.
      const person = await postJson(`${example.url}/orders`, {}, 'x')
      expect(person.status).not.to.equal(503)
      database.exec('ALTER TABLE elsewhere RENAME TO support_audit')
    })
    const served = answers.filter(({ status }) => status === 200).length
    expect(served).to.be.within(1000, 1050)
    expect(answers.filter(({ status }) => status === 503)).to.have.length(1100 - served)
    await example.close()
    const stored = database
      .prepare(
        "SELECT count(*) AS stored FROM support_audit WHERE entry LIKE '%impersonation.used%' AND entry LIKE ?",
      )
      .get(`%${jti.replace('impersonation:', '')}%`)
    expect(stored?.stored).to.equal(served)
    example = await startHere()
  }).timeout(60_000)
})

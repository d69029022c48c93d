import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import Koa from 'koa'
import { type Audit, createAudit } from '../../console/audit/audit.ts'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { places } from '../../console/backend/places.ts'
import { operatorEndpoints } from '../../console/backend/router.ts'
import { people } from '../../example-provider/accounts.ts'
import { quietly } from '../example-provider/quietly.ts'
import { type Example, listen, postForm, send, signIn, start } from '../example-provider/support.ts'
import { entryOf } from './audit-contract.ts'
import { act, bearer, entriesOf, followStream, get } from './audit-support.ts'

describe('console: what happens, as it happens', function () {
  this.timeout(120_000)

  let example: Example
  let olivia: string
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const stream = (query = '') => `${example.url}/support/audit/stream${query}`

  it('begins at once, with the headers of a stream', async () => {
    await using followed = await followStream(stream(), olivia)
    expect(followed.response.status).to.equal(200)
    expect(followed.response.headers.get('content-type')).to.equal('text/event-stream')
    expect(followed.response.headers.get('cache-control')).to.equal('no-store')
    expect(followed.response.headers.get('x-content-type-options')).to.equal('nosniff')
    await wait(100)
    expect(followed.comments).to.have.length(1)
  })

  it('tells what happens from now on, as the search does', async () => {
    await act(example.url, olivia)
    await using followed = await followStream(stream(), olivia)
    await act(example.url, olivia, { userId: 'mallory', reason: '\u2028 <b>', ticketId: 'ü' })
    const events = [await followed.next(), await followed.next()]
    const { body } = await get(`${example.url}/support/audit?limit=2`, olivia)
    const expected = (body.entries as { cursor: string }[]).toReversed()
    expect(events.map(({ data }) => JSON.parse(data))).to.deep.equal(expected)
    for (const [index, { id, event, data }] of events.entries()) {
      expect([id, event]).to.deep.equal([expected[index]?.cursor, 'audit'])
      expect(data).to.not.match(/[\r\n]/)
    }
  })

  it('goes on after a cursor', async () => {
    await act(example.url, olivia)
    const all = entriesOf(await get(`${example.url}/support/audit?limit=200`, olivia)).toReversed()
    await using followed = await followStream(stream(`?after=${all[0]?.cursor}`), olivia)
    for (const { cursor } of all.slice(1)) expect((await followed.next()).id).to.equal(cursor)
    await act(example.url, olivia)
    expect(JSON.parse((await followed.next()).data).event).to.equal('impersonation.issued')
  })

  for (const [query, name] of [
    ['?after=', 'cursor'],
    ['?after=0', 'cursor'],
    ['?after=x', 'cursor'],
    ['?after=1%0Aevent:x', 'cursor'],
    ['?after=1&after=2', 'after is repeated'],
    ['?before=1', 'before is not known'],
  ]) {
    it(`does not begin with ${query}`, async () => {
      const answer = await send(stream(query), { headers: bearer(olivia) })
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
      expect(answer.body.error_description).to.include(name)
    })
  }

  it('does not hold up the end of the server', async () => {
    const other = await start()
    const token = await signIn(other.url)
    const all = await Promise.all(
      Array.from({ length: 5 }, () => followStream(`${other.url}/support/audit/stream`, token)),
    )
    const since = performance.now()
    await other.close()
    expect(performance.now() - since).to.be.below(10_000)
    // The stream ends normally and is not cut off.
    await Promise.all(all.map(({ ended }) => ended))
  })

  it('does not hold up the end of the server when the client reads nothing', async () => {
    const other = await start()
    const token = await signIn(other.url)
    const { host, hostname, port } = new URL(other.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /support/audit/stream HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    await once(socket, 'readable')
    const since = performance.now()
    await other.close()
    expect(performance.now() - since).to.be.below(10_000)
    socket.destroy()
  })

  describe('with a heart that beats faster', () => {
    /** A backend of its own in front of the example's provider. */
    async function backend(use: (url: string, audit: Audit) => Promise<void>, heartbeat = 50) {
      const audit = createAudit(memoryAudit())
      const app = new Koa()
      app.use(
        operatorEndpoints({
          providerUrl: example.url,
          people,
          clientId: 'support-backend',
          clientSecret: 'support-backend-secret',
          operatorClients: ['support-console'],
          audit,
          heartbeat,
        }),
      )
      const server = await listen(app.callback())
      await use(`${server.url}/support/audit/stream`, audit).finally(() => server.close())
    }

    const revoke = (token: string) =>
      postForm(`${example.url}/oidc/token/revocation`, { token, client_id: 'support-console' })

    it('gives signs of life', async () => {
      await backend(async (url) => {
        await using followed = await followStream(url, olivia)
        await wait(400)
        expect(followed.comments.length).to.be.within(3, 9)
      })
    })

    it("ends once the operator's token is revoked, and tells nothing more", async () => {
      await backend(async (url, audit) => {
        const token = await signIn(example.url)
        await using followed = await followStream(url, token)
        await using other = await followStream(url, olivia)
        await revoke(token)
        await followed.ended
        await quietly(() => audit.record(entryOf(1)))
        expect(JSON.parse((await other.next()).data).time).to.equal(1)
        const again = await send(url, { headers: bearer(token) })
        expect(again.status).to.equal(401)
      })
    })

    it('is open six times for one operator, and no more; one that left makes room', async () => {
      await backend(async (url) => {
        const all = await Promise.all(Array.from({ length: 6 }, () => followStream(url, olivia)))
        expect(new Set(all.map(({ response }) => response.status))).to.deep.equal(new Set([200]))
        const { stderr } = await quietly(async () => {
          const { status, body, headers } = await send(url, { headers: bearer(olivia) })
          expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable'])
          expect(headers.get('retry-after')).to.equal('15')
        })
        expect(stderr, 'nobody has to look after that').to.deep.equal([])
        await all[0]?.[Symbol.asyncDispose]()
        await wait(100)
        await using one = await followStream(url, olivia)
        expect(one.response.status).to.equal(200)
        for (const followed of all) await followed[Symbol.asyncDispose]()
      }, 60_000)
    })
  })

  it('has a hundred places in one process, of which nobody takes more than six', () => {
    const { take } = places()
    const takeAll = (name: string) => Array.from({ length: 6 }, () => take(name))
    const given = Array.from({ length: 16 }, (_, index) => takeAll(`operator-${index}`)).flat()
    expect(() => take('operator-0')).to.throw('too many streams')
    given.push(...Array.from({ length: 4 }, () => take('another')))
    for (const name of ['another', 'operator-0', 'new', '__proto__']) {
      expect(() => take(name), name).to.throw('too many streams')
    }
    given.pop()?.()
    take('new')
    expect(() => take('another')).to.throw('too many streams')
  })
})

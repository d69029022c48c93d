import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import { auditGate } from '../../console/audit/gate.ts'
import { room } from '../../console/audit/room.ts'
import { quietly } from '../example-provider/quietly.ts'
import { type Example, listen, postForm, send } from '../example-provider/support.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const NEVER = 1_000_000

describe('console: while too many entries wait for the storage', () => {
  let isFree = false
  const gatedRoom = room(() => isFree)
  const reached: string[] = []
  const servers: Example[] = []

  /** The gate, and behind it the function that reads the body. */
  async function serve(patience: number): Promise<string> {
    const app = new Koa()
    const paths = { issue: '/api/subject-tokens', token: '/token', end: '/end', apis: ['/orders'] }
    app.use(auditGate({ room: gatedRoom }, paths, patience))
    app.use(async (ctx) => {
      ctx.body = await text(ctx.req)
      reached.push(ctx.path)
    })
    const server = await listen(app.callback())
    servers.push(server)
    return server.url
  }

  beforeEach(() => {
    isFree = false
    reached.length = 0
  })
  after(async () => {
    isFree = true
    gatedRoom.changed()
    await Promise.all(servers.map((server) => server.close()))
  })

  const gated: [what: string, path: string, fields: Record<string, string>][] = [
    ['issue', '/api/subject-tokens', {}],
    ['issue, spelt otherwise', '/API/subject-tokens/', {}],
    ['exchange', '/token', { grant_type: EXCHANGE }],
    ['exchange, spelt otherwise', '/Token/', { scope: 's', grant_type: EXCHANGE }],
  ]
  for (const [what, path, fields] of gated) {
    it(`${what} is answered 503 in the end, and reaches nothing`, async () => {
      const url = await serve(10)
      const { stderr } = await quietly(async () => {
        for (let sent = 0; sent < 3; sent += 1) {
          const { status, body, headers } = await postForm(`${url}${path}`, fields)
          expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable'])
          expect(headers.get('retry-after')).to.match(/^[1-9]\d*$/)
          expect(headers.get('cache-control')).to.equal('no-store')
        }
      })
      expect([reached, stderr.length], 'told once').to.deep.equal([[], 1])
    })

    it(`${what} waits, and goes on whole once there is room`, async () => {
      const url = await serve(NEVER)
      const answer = postForm(`${url}${path}`, fields)
      // A request that does not wait is answered first: the other request has arrived by then.
      await postForm(`${url}/elsewhere`, {})
      expect(reached).to.deep.equal(['/elsewhere'])
      isFree = true
      while (reached.length < 2) {
        gatedRoom.changed()
        await new Promise(setImmediate)
      }
      const { status, text: body } = await answer
      expect([status, body]).to.deep.equal([200, new URLSearchParams(fields).toString()])
    })
  }

  it('an end waits, and goes on without room', async () => {
    const [slow, fast] = [await serve(NEVER), await serve(10)]
    const waiting = postForm(`${slow}/end`, {})
    expect((await postForm(`${fast}/end`, {})).status).to.equal(200)
    expect(reached, 'the other one still waits').to.deep.equal(['/end'])
    isFree = true
    gatedRoom.changed()
    expect((await waiting).status).to.equal(200)
  })

  it('a request to an API waits if its token says that it is an impersonated one', async () => {
    const url = await serve(10)
    const claims = (jti: string) => Buffer.from(JSON.stringify({ jti })).toString('base64url')
    const statusOf = async (path: string, jti: string) => {
      const authorization = `Bearer e30.${claims(jti)}.x`
      return (await send(`${url}${path}`, { headers: { authorization } })).status
    }
    await quietly(async () => {
      expect(await statusOf('/orders', 'impersonation:x')).to.equal(503)
      expect(await statusOf('/Orders/A-1/', 'impersonation:x')).to.equal(503)
      expect(await statusOf('/orders', 'x')).to.equal(200)
      expect(await statusOf('/orders2', 'impersonation:x')).to.equal(200)
    })
    expect(reached).to.deep.equal(['/orders', '/orders2'])
  })

  it('another grant, another path and another method do not wait', async () => {
    const url = await serve(NEVER)
    for (const grant_type of ['authorization_code', 'client_credentials']) {
      const { text: body } = await postForm(`${url}/token`, { grant_type, code: 'x' })
      expect(body).to.equal(`grant_type=${grant_type}&code=x`)
    }
    for (const path of ['/token/introspection', '/api', '/token2']) await postForm(url + path, {})
    await send(`${url}/token`)
    expect(reached).to.have.length(6)
  })

  it('a form that hides its grant waits: in pieces, twice, too long, or in another charset', async () => {
    const url = await serve(10)
    await quietly(async () => {
      const long = { filler: 'x'.repeat(70_000), grant_type: 'client_credentials' }
      expect((await postForm(`${url}/token`, long)).status).to.equal(503)
      const body = `grant_type=client_credentials&grant_type=${encodeURIComponent(EXCHANGE)}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const twice = await send(`${url}/token`, { method: 'POST', body, headers })
      expect(twice.status).to.equal(503)

      const marked = `\uFEFFgrant_type=${encodeURIComponent(EXCHANGE)}`
      for (const [charset, encoding] of [
        ['utf-16le', 'utf16le'],
        ['utf-8', 'utf8'],
      ] as const) {
        const { status } = await send(`${url}/token`, {
          method: 'POST',
          body: Buffer.from(marked, encoding),
          headers: { 'content-type': `application/x-www-form-urlencoded; charset=${charset}` },
        })
        expect(status, charset).to.equal(503)
      }

      const socket = connect(Number(new URL(url).port), 'localhost')
      const half = `grant_type=${EXCHANGE}`.slice(0, -3)
      const length = half.length + 3
      socket.write(`POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${half}`)
      const [answer] = await once(socket, 'data')
      expect(String(answer)).to.match(/^HTTP\/1\.1 503 /)
      socket.destroy()
    })
    expect(reached).to.deep.equal([])
  })
})

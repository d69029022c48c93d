import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { backPressure } from '../../../src/audit/recording/back-pressure.ts'
import { capacity } from '../../../src/audit/recording/capacity.ts'
import { impersonationShownTo } from '../../../src/audit/recording/impersonated-token.ts'
import { quietly } from '../../support/quietly.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const FORM = 'application/x-www-form-urlencoded'
const NEVER = 1_000_000

describe('while the storage of the audit takes no entries', () => {
  let isFree = false
  const capacityHere = capacity(() => isFree)
  let pending: Promise<void> = Promise.resolve()
  let isIdle = false
  /** What the storage says of each opaque token. */
  const found: string[] = []
  const provider = {
    AccessToken: {
      async find(value: string) {
        found.push(value)
        if (value === 'broken') throw new Error('the storage is out of order')
        if (value === 'unknown') return undefined
        return { gty: value === 'acted' ? EXCHANGE : 'authorization_code' }
      },
    },
  } as unknown as Pick<Provider, 'AccessToken'>
  const reached: string[] = []
  const servers: Server[] = []

  /** The back-pressure, and behind it the function that reads the body. */
  async function serve(patience: number): Promise<string> {
    const app = new Koa()
    const paths = {
      token: '/oidc/Token/',
      apis: ['/Orders/', '/notes'],
    }
    const recorder = { capacity: capacityHere, settled: () => pending, isIdle: () => isIdle }
    app.use(backPressure(recorder, paths, patience, impersonationShownTo(provider)))
    app.use(async (ctx) => {
      ctx.body = await text(ctx.req)
      reached.push(ctx.path)
    })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) return expect.fail('no port')
    return `http://127.0.0.1:${address.port}`
  }

  async function post(url: string, fields: Record<string, string>) {
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  beforeEach(() => {
    isFree = false
    isIdle = false
    pending = Promise.resolve()
    reached.length = 0
    found.length = 0
  })
  after(() => {
    isFree = true
    capacityHere.changed()
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  })

  const waiting: [what: string, path: string, fields: Record<string, string>][] = [
    ['exchange', '/oidc/token', { grant_type: EXCHANGE }],
    ['exchange, spelt otherwise', '/OIDC/Token/', { scope: 's', grant_type: EXCHANGE }],
  ]
  for (const [what, path, fields] of waiting) {
    it(`I13: ${what} is answered 503 in the end, and reaches nothing`, async () => {
      const url = await serve(10)
      const { stderr } = await quietly(async () => {
        for (let sent = 0; sent < 3; sent += 1) {
          const { status, headers, text: body } = await post(`${url}${path}`, fields)
          expect([status, JSON.parse(body).error]).to.deep.equal([503, 'temporarily_unavailable'])
          expect(headers.get('retry-after')).to.match(/^[1-9]\d*$/)
          expect(headers.get('cache-control')).to.equal('no-store')
        }
      })
      expect([reached, stderr.length], 'told once').to.deep.equal([[], 1])
    })

    it(`${what} waits, and goes on whole once there is capacity`, async () => {
      const url = await serve(NEVER)
      const answer = post(`${url}${path}`, fields)
      // A request that does not wait is answered first: the other request has arrived by then.
      await post(`${url}/elsewhere`, {})
      expect(reached).to.deep.equal(['/elsewhere'])
      isFree = true
      while (reached.length < 2) {
        capacityHere.changed()
        await new Promise(setImmediate)
      }
      const { status, text: body } = await answer
      expect([status, body]).to.deep.equal([200, new URLSearchParams(fields).toString()])
    })
  }

  it('I13: an end does not wait', async () => {
    const url = await serve(NEVER)
    const path = '/oidc/impersonations/current/end'
    expect((await post(`${url}${path}`, {})).status).to.equal(200)
    expect(reached).to.deep.equal([path])
  })

  it('a request of an operator to an API waits until what was told before is stored', async () => {
    isFree = true
    const stored = Promise.withResolvers<void>()
    pending = stored.promise
    const [slow, fast] = [await serve(NEVER), await serve(10)]
    const payload = Buffer.from('{"jti":"impersonation:x"}').toString('base64url')
    const look = (url: string) =>
      fetch(`${url}/orders`, { headers: { authorization: `Bearer e30.${payload}.x` } })
    await quietly(async () => {
      expect((await look(fast)).status).to.equal(503)
    })
    const waiting = look(slow)
    // Others do not wait.
    expect((await fetch(`${slow}/orders`)).status).to.equal(200)
    expect((await post(`${slow}/api/subject-tokens`, {})).status).to.equal(200)
    expect(reached).to.deep.equal(['/orders', '/api/subject-tokens'])
    stored.resolve()
    expect((await waiting).status).to.equal(200)
  })

  it('a request to an API waits if its token says that it is an impersonated one', async () => {
    const url = await serve(10)
    const token = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.x`
    const statusOf = async (path: string, payload: string, scheme = 'Bearer') => {
      const headers = { authorization: `${scheme} ${token(payload)}` }
      return (await fetch(`${url}${path}`, { headers })).status
    }
    const impersonated = '{"jti":"impersonation:x"}'
    await quietly(async () => {
      expect(await statusOf('/orders', impersonated)).to.equal(503)
      expect(await statusOf('/Orders/A-1/', impersonated)).to.equal(503)
      expect(await statusOf('/notes', impersonated, 'DPoP')).to.equal(503)
      expect(await statusOf('/orders2', impersonated)).to.equal(200)
      for (const payload of [
        '{"jti":"x"}',
        '{"jti":7}',
        '{}',
        'null',
        '[]',
        'x',
        '"impersonation:"',
      ]) {
        expect(await statusOf('/orders', payload), payload).to.equal(200)
      }
      expect((await fetch(`${url}/orders`)).status).to.equal(200)
      expect(
        (await fetch(`${url}/orders`, { headers: { authorization: 'Bearer x' } })).status,
      ).to.equal(200)
    })
    expect(reached).to.have.length(10)
  })

  it('a request to an API with an opaque token waits if the provider says that it is impersonated', async () => {
    const url = await serve(10)
    const statusOf = async (token: string) =>
      (await fetch(`${url}/orders`, { headers: { authorization: `Bearer ${token}` } })).status
    await quietly(async () => {
      expect(await statusOf('acted')).to.equal(503)
      expect(await statusOf('broken'), 'it may be one').to.equal(503)
      for (const token of ['customer', 'unknown', 'x'.repeat(2000), 'a b']) {
        expect(await statusOf(token), token).to.equal(200)
      }
    })
    expect(found).to.deep.equal(['acted', 'broken', 'customer', 'unknown'])
    found.length = 0
    ;[isFree, isIdle] = [true, true]
    expect(await statusOf('acted')).to.equal(200)
    expect(found, 'nothing is looked up where nothing waits').to.deep.equal([])
  })

  it('another grant, another path and another method do not wait', async () => {
    const url = await serve(NEVER)
    for (const grant_type of ['authorization_code', 'client_credentials']) {
      const { text: body } = await post(`${url}/oidc/token`, { grant_type, code: 'x' })
      expect(body).to.equal(`grant_type=${grant_type}&code=x`)
    }
    for (const path of ['/oidc/token/introspection', '/api', '/token', '/oidc/token2']) {
      await post(url + path, {})
    }
    await fetch(`${url}/oidc/token`)
    expect(reached).to.have.length(7)
  })

  it('a form that hides its grant waits: in pieces, twice, too long, or in another charset', async () => {
    const url = await serve(10)
    const send = async (body: string | Buffer<ArrayBuffer>, type = FORM) => {
      const headers = { 'content-type': type }
      return (await fetch(`${url}/oidc/token`, { method: 'POST', body, headers })).status
    }
    await quietly(async () => {
      const long = { filler: 'x'.repeat(70_000), grant_type: 'client_credentials' }
      expect((await post(`${url}/oidc/token`, long)).status).to.equal(503)
      const twice = `grant_type=client_credentials&grant_type=${encodeURIComponent(EXCHANGE)}`
      expect(await send(twice)).to.equal(503)
      const marked = `\uFEFFgrant_type=${encodeURIComponent(EXCHANGE)}`
      for (const [charset, encoding] of [
        ['utf-16le', 'utf16le'],
        ['utf-8', 'utf8'],
      ] as const) {
        const status = await send(Buffer.from(marked, encoding), `${FORM}; charset=${charset}`)
        expect(status, charset).to.equal(503)
      }
      // Koa tells oidc-provider no charset: it reads UTF-8, whatever the header says.
      const named = `grant_type=${encodeURIComponent(EXCHANGE)}`
      for (const charset of ['utf-16le', 'UTF-16BE', 'x-unknown', '"utf-16le"']) {
        expect(await send(named, `${FORM}; charset=${charset}`), charset).to.equal(503)
      }

      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      const half = `grant_type=${EXCHANGE}`.slice(0, -3)
      const length = half.length + 3
      socket.write(
        `POST /oidc/token HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${half}`,
      )
      const [answer] = await once(socket, 'data')
      expect(String(answer)).to.match(/^HTTP\/1\.1 503 /)
      socket.destroy()
    })
    expect(reached).to.deep.equal([])
  })
})

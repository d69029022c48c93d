import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import express from 'express'
import { WebSocket } from 'ws'
import { type ResourceServer, resourceServer } from '../../packages/resource-server/src/index.ts'
import { expectRejection, freePort } from '../adapters/servers.ts'
import { bearer, deploy } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { launch, type Program } from '../support/program.ts'
import { shared } from '../support/shared.ts'
import { closed, listening } from '../support/token-issuer.ts'
import { blocksOf, call, type Module, snippetsOf } from './documents.ts'

const SERVERS = ['koa', 'express', 'fastify', 'hono']
/** The orders of alice in person, and while olivia acts. */
const OWN = { ordersOf: 'alice' }
const ACTED = { ...OWN, seenBy: 'olivia' }
/** The tests of recording run these. */
const RECORDING = [
  'orders-api.ts',
  'keep-uses.ts',
  'receive-uses.ts',
  'send-uses.ts',
  'use-store.ts',
]

describe('docs/your-apis.md', () => {
  let tokens: Record<'own' | 'acted' | 'bound' | 'forged', string>
  let key: DPoPKey

  const snippets = shared(() => snippetsOf('your-apis.md'))
  const deployment = shared(deploy)
  before(async () => {
    const actor_token = await deployment.actorToken()
    const acted = await deployment.impersonate({ actor_token })
    key = await dpopKey()
    const dpop = await key.proof({ htu: `${deployment.issuer}/token` })
    const bound = await deployment.impersonate({}, { dpop })
    const [head, payload] = acted.token.split('.')
    tokens = {
      own: await apiToken(deployment, 'alice'),
      acted: acted.token,
      bound: bound.token,
      forged: `${head}.${payload}.${'A'.repeat(86)}`,
    }
  })

  /** Runs a server of the page with one of its guards, whose addresses become those of this test. */
  async function launched(name: string, guard = 'guard', more = {}): Promise<Program> {
    const PORT = String(await freePort())
    const { issuer, orders } = deployment
    const file = await guardFor(guard, { issuer, orders, base: `http://localhost:${PORT}` })
    const server = join(dirname(file), `${name}.ts`)
    await copyFile(join(snippets.folder, 'src', `${name}.ts`), server)
    return await launch(server, { PORT, ...more })
  }

  /** A guard of the page as `guard.ts`, with other addresses, in a folder of its own. */
  async function guardFor(
    name: string,
    { issuer, orders, base }: { issuer: string; orders: string; base: string },
  ): Promise<string> {
    const source = join(snippets.folder, 'src')
    const text = await readFile(join(source, `${name}.ts`), 'utf8')
    const here = text
      .replace('https://id.example.com/oidc', issuer)
      .replace("audience: 'https://api.example.com'", `audience: '${orders}'`)
      .replace("baseUrl: 'https://api.example.com'", `baseUrl: '${base}'`)
    const folder = await mkdtemp(join(source, `${name}-`))
    await writeFile(join(folder, 'guard.ts'), here)
    return join(folder, 'guard.ts')
  }

  it('has no server that is not run below', async () => {
    const files = await readdir(join(snippets.folder, 'src'))
    const servers = SERVERS.map((name) => `${name}.ts`)
    const guards = ['guard.ts', 'strict-guard.ts', 'bound-guard.ts', 'log-uses.ts']
    const others = ['adults-only.ts', 'cors.ts', 'deny-by-default.ts', 'fields.ts', 'gateway.ts']
    const open = ['events.ts', 'forward.ts', 'websocket.ts']
    expect(files).to.have.members([...guards, ...others, ...open, ...servers, ...RECORDING])
  })

  it('gateway.ts tells a gateway who calls, and refuses the rest', async () => {
    await using server = await launched('gateway')
    const headersOf = async (token?: string) => {
      const { status, headers } = await server.ask('GET', '/any', token)
      return [status, ...['x-user', 'x-actor', 'x-impersonated'].map((name) => headers.get(name))]
    }
    expect(await headersOf(tokens.acted)).to.deep.equal([204, 'alice', 'olivia', 'true'])
    expect(await headersOf(tokens.own)).to.deep.equal([204, 'alice', '', 'false'])
    for (const refused of [undefined, tokens.forged, tokens.bound]) {
      expect(await headersOf(refused)).to.deep.equal([401, null, null, null])
    }
  })

  it('cors.ts lets a page on another origin ask, before the guard, and no other page', async () => {
    await using server = await launched('cors')
    const headersOf = async (method: string, origin: string, more = {}) => {
      const { status, headers } = await server.ask(method, '/orders', { origin, ...more })
      const names = ['allow-origin', 'allow-headers', 'expose-headers']
      return [status, ...names.map((name) => headers.get(`access-control-${name}`))]
    }
    const acted = bearer(tokens.acted)
    const shop = 'https://shop.example.com'
    const exposed = 'WWW-Authenticate, DPoP-Nonce'
    const allowed = 'Authorization, DPoP, Content-Type'
    expect(await headersOf('OPTIONS', shop)).to.deep.equal([204, shop, allowed, exposed])
    expect(await headersOf('GET', shop, acted)).to.deep.equal([200, shop, null, exposed])
    // The page reads from this answer that it must sign in again.
    expect(await headersOf('GET', shop)).to.deep.equal([401, shop, null, exposed])
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await headersOf(method, 'https://evil.example.com')
      expect(answer).to.deep.equal([401, null, null, null])
    }
  })

  it('forward.ts hands the token to another service, which learns who acts', async () => {
    await using billing = await launched('express')
    await using server = await launched('forward', 'guard', { BILLING: billing.base })
    await expectAnswer(server.ask('GET', '/bills', tokens.acted), 200, ACTED)
    await expectAnswer(server.ask('GET', '/bills', tokens.forged), 401)
  })

  it('fields.ts hides a field from operators, in REST and in GraphQL, and a mutation', async () => {
    const { accountFor, resolvers } = await snippets.loadFile('fields.ts')
    const { issuer, orders: audience } = deployment
    const guard = resourceServer({ issuer, audience })
    const account = { email: 'alice@example.com', iban: 'DE02' }
    const seenBy = async (token: string) => {
      const caller = await guard.authenticate(`Bearer ${token}`)
      const { Account, Mutation } = Object(resolvers)
      const changed = Mutation.changeEmail(undefined, account, { caller })
      return [
        call(accountFor, caller, account),
        Account.iban(account, {}, { caller }),
        await changed.catch(({ status }: { status: number }) => status),
      ]
    }
    const { email, iban } = account
    expect(await seenBy(tokens.own)).to.deep.equal([account, iban, { email }])
    expect(await seenBy(tokens.acted)).to.deep.equal([{ email }, null, 403])
  })

  it('deny-by-default.ts lets operators nowhere but into what it names', async () => {
    const at = { ...deployment, base: 'https://api.example.com' }
    const file = join(dirname(await guardFor('guard', at)), 'deny-by-default.ts')
    await copyFile(join(snippets.folder, 'src/deny-by-default.ts'), file)
    const { denyByDefault, operatorsOnlyLook } = await import(pathToFileURL(file).href)
    const answer: RequestListener = (_request, response) => response.writeHead(204).end()
    const looking = express().use('/only-look', operatorsOnlyLook, answer)
    const server = createServer(looking.use(denyByDefault(answer, answer)))
    const origin = await listening(server)
    const statusOf = async (path: string, token: string, method = 'GET') =>
      (await fetch(origin + path, { method, headers: bearer(token) })).status
    for (const [path, method, status] of [
      ['/only-look', 'GET', 204],
      ['/only-look', 'HEAD', 204],
      ['/only-look', 'POST', 403],
      ['/only-look', 'PROPFIND', 403],
      ['/orders', 'GET', 204],
      ['/new-route', 'GET', 403],
    ] as const) {
      expect(await statusOf(path, tokens.acted, method), path).to.equal(status)
      expect(await statusOf(path, tokens.own, method), path).to.equal(204)
    }
    await closed(server)
  })

  for (const name of SERVERS) {
    it(`${name}.ts lets in who may come in, and nobody else`, async () => {
      await using server = await launched(name)
      const { ask } = server
      const challengeOf = async (token?: string) => {
        const { status, headers } = await ask('GET', '/orders', token)
        return `${status} ${headers.get('www-authenticate')}`
      }
      expect(await challengeOf()).to.match(/^401 Bearer realm="[^"]+"$/)
      expect(await challengeOf(tokens.forged)).to.match(/^401 Bearer .*error="invalid_token"/)
      await expectAnswer(ask('GET', '/orders', tokens.own), 200, OWN)
      await expectAnswer(ask('GET', '/orders', tokens.acted), 200, ACTED)
      await expectAnswer(ask('PUT', '/email', tokens.own), 204)
      await expectAnswer(ask('PUT', '/email', tokens.acted), 403, 'access_denied')
    })
  }

  it('bound-guard.ts takes a bound token with a proof, once, and never as a bearer token', async () => {
    await using server = await launched('express', 'bound-guard')
    const dpop = await key.proof({
      htm: 'GET',
      htu: `${server.base}/orders`,
      ath: athOf(tokens.bound),
    })
    const headers = { authorization: `DPoP ${tokens.bound}`, dpop }
    await expectAnswer(server.ask('GET', '/orders?page=2', headers), 200, OWN)
    await expectAnswer(server.ask('GET', '/orders', headers), 401, 'invalid_dpop_proof')
    await expectAnswer(server.ask('GET', '/orders', tokens.bound), 401, 'invalid_token')
  })

  it('events.ts streams and websocket.ts answers until the impersonation has ended', async () => {
    await using streaming = await launched('events')
    await using answering = await launched('websocket')
    const { impersonation } = deployment.provider
    const { id, token } = await deployment.impersonate()
    const headers = bearer(token)
    const response = await fetch(`${streaming.base}/events`, { headers })
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(Buffer.from(first?.value ?? []).toString()).to.equal('data: alice\n\n')
    const url = answering.base.replace('http', 'ws')
    const socket = new WebSocket(url, { headers })
    await once(socket, 'open')
    socket.send('hello')
    expect(String((await once(socket, 'message'))[0])).to.equal('alice')

    await impersonation.end(id)
    const endedAt = performance.now()
    const closed = once(socket, 'close')
    // It ends, or the connection breaks.
    while (
      await reader?.read().then(
        ({ done }) => !done,
        () => false,
      )
    )
      await wait(1)
    expect((await closed)[0]).to.equal(4401)
    expect(performance.now() - endedAt).to.be.below(8500)
    await expectAnswer(fetch(`${streaming.base}/events`, { headers }), 401)
    for (const refused of [headers, {}]) {
      const [{ message }] = await once(new WebSocket(url, { headers: refused }), 'error')
      expect(message).to.equal('Unexpected server response: 401')
    }
  })

  it('strict-guard.ts refuses an operator whose token has no status, and no customer', async () => {
    await using other = await deploy({ impersonation: { ending: { enabled: false } } })
    const own = await apiToken(other, 'alice')
    const { token } = await other.impersonate()
    const { api }: Module = await import(await guardFor('strict-guard', other))
    const { authenticate } = api as ResourceServer
    expect(await authenticate(`Bearer ${own}`)).to.include({ userId: 'alice' })
    await expectRejection(authenticate(`Bearer ${token}`), 'access token has no status')
  })

  it('shows the caller with the members that it has', async () => {
    const [code = ''] = await blocksOf('your-apis.md', 'js\n// caller.js')
    const { caller } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const { issuer, orders: audience } = deployment
    const real = await resourceServer({ issuer, audience }).authenticate(`Bearer ${tokens.acted}`)
    expect(caller).to.have.all.keys(Object.keys(real))
    expect(caller).to.deep.include({ userId: real.userId, actor: real.actor, isImpersonated: true })
  })

  it('adults-only.ts refuses who is too young, and whose age is not known', async () => {
    const { adultsOnly } = await snippets.loadFile('adults-only.ts')
    const ask = (claims: object) => call(adultsOnly, { claims })
    for (const claims of [{}, { age: 17 }, { age: '18' }]) {
      expect(() => ask(claims)).to.throw('adults only')
    }
    expect(ask({ age: 18 })).to.equal(undefined)
  })
})

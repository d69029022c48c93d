import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { freePort } from '../adapters/servers.ts'
import { compile } from '../support/compile.ts'
import { type Deployment, deploy, signingKey } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { signIn } from '../support/sign-in.ts'
import { type Module, type Snippets, snippetsOf } from './documents.ts'

const SERVERS = ['koa', 'express', 'fastify', 'hono', 'http']

describe('docs/resource-servers.md', function () {
  this.timeout(60_000)
  let snippets: Snippets
  let deployment: Deployment
  let tokens: Record<'own' | 'acted' | 'bound' | 'forged', string>
  let key: DPoPKey

  before(async () => {
    snippets = await snippetsOf('resource-servers.md')
    deployment = await deploy()
    const { orders } = deployment
    const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource: orders })
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token, actor_token })
    key = await dpopKey()
    const bound = await deployment.exchange(
      { subject_token: await deployment.subjectToken() },
      { dpop: await key.proof({ htu: `${deployment.issuer}/token` }) },
    )
    expect(bound.body.token_type).to.equal('DPoP')
    const header = { alg: 'ES256', typ: 'at+jwt', kid: 'test' }
    const real = await new SignJWT(decodeJwt(own.access_token))
      .setProtectedHeader(header)
      .sign(await importJWK(signingKey))
    const forged = `${real.slice(0, real.lastIndexOf('.'))}.${'A'.repeat(86)}`
    tokens = {
      own: own.access_token,
      acted: body.access_token,
      bound: bound.body.access_token,
      forged,
    }
  })
  after(async () => {
    await deployment.close()
    await snippets[Symbol.asyncDispose]()
  })

  it('compiles by the strictest settings', async () => {
    const project = join(snippets.folder, 'tsconfig.json')
    expect(await compile(['-p', project])).to.equal('')
  })

  it('has no server that is not run below', async () => {
    const files = await readdir(join(snippets.folder, 'src'))
    const servers = SERVERS.map((name) => `${name}.ts`)
    expect(files).to.have.members(['guard.ts', 'adults-only.ts', ...servers])
  })

  for (const name of SERVERS) {
    it(`${name}.ts lets in who may come in, and nobody else`, async () => {
      const { issuer, orders: audience } = deployment
      await using server = await launch(join(snippets.folder, 'src', `${name}.ts`), {
        ISSUER: issuer,
        AUDIENCE: audience,
      })
      const { ask } = server
      const anonymous = await ask('GET', '/orders')
      expect(anonymous.status).to.equal(401)
      expect(anonymous.challenge).to.match(/^Bearer realm="[^"]+", DPoP realm="[^"]+", algs=/)
      const forged = await ask('GET', '/orders', tokens.forged)
      expect([forged.status, forged.body.error]).to.deep.equal([401, 'invalid_token'])
      expect(forged.challenge).to.match(/^Bearer .*error="invalid_token"/)
      const own = await ask('GET', '/orders', tokens.own)
      expect([own.status, own.body]).to.deep.equal([200, { ordersOf: 'alice' }])
      const acted = await ask('GET', '/orders', tokens.acted)
      expect([acted.status, acted.body]).to.deep.equal([
        200,
        { ordersOf: 'alice', seenBy: 'olivia' },
      ])
      expect((await ask('PUT', '/email', tokens.own)).status).to.equal(204)
      const denied = await ask('PUT', '/email', tokens.acted)
      expect([denied.status, denied.body.error]).to.deep.equal([403, 'access_denied'])
    })

    it(`${name}.ts takes a bound token with a proof, once, and never as a bearer token`, async () => {
      const { issuer, orders: audience } = deployment
      await using server = await launch(join(snippets.folder, 'src', `${name}.ts`), {
        ISSUER: issuer,
        AUDIENCE: audience,
      })
      const { base, ask } = server
      const ath = athOf(tokens.bound)
      const dpop = await key.proof({ htm: 'GET', htu: `${base}/orders`, ath })
      const headers = { authorization: `DPoP ${tokens.bound}`, dpop }
      const proven = await ask('GET', '/orders?page=2', headers)
      expect([proven.status, proven.body]).to.deep.equal([200, { ordersOf: 'alice' }])
      const again = await ask('GET', '/orders', headers)
      expect([again.status, again.body.error]).to.deep.equal([401, 'invalid_dpop_proof'])
      const plain = await ask('GET', '/orders', tokens.bound)
      expect([plain.status, plain.body.error]).to.deep.equal([401, 'invalid_token'])
      expect(plain.challenge).to.include('DPoP realm=')
      const proof = await key.proof({ htm: 'PUT', htu: `${base}/email`, ath })
      const denied = await ask('PUT', '/email', { ...headers, dpop: proof })
      expect([denied.status, denied.body.error]).to.deep.equal([403, 'access_denied'])
    })

    it(`${name}.ts survives a provider that is down, and refuses everybody`, async () => {
      const gone = `http://localhost:${await freePort()}/oidc`
      await using server = await launch(join(snippets.folder, 'src', `${name}.ts`), {
        ISSUER: gone,
        AUDIENCE: deployment.orders,
      })
      const { child, ask } = server
      for (const token of [tokens.forged, tokens.own, tokens.forged]) {
        expect((await ask('GET', '/orders', token)).status).to.be.oneOf([500, 503])
        expect((await ask('PUT', '/email', token)).status).to.be.oneOf([500, 503])
      }
      expect((await ask('GET', '/orders')).status).to.equal(401)
      expect(child.exitCode).to.equal(null)
    })
  }

  it('adults-only.ts refuses who is too young, and whose age is not known', async () => {
    const { adultsOnly }: Module = await snippets.load('A requirement of your own')
    const ask = adultsOnly as (caller: { claims: object }) => void
    for (const claims of [{}, { age: 17 }, { age: '18' }]) {
      expect(() => ask({ claims }))
        .to.throw('adults only')
        .with.property('status', 403)
    }
    expect(ask({ claims: { age: 18 } })).to.equal(undefined)
  })
})

interface Launched extends AsyncDisposable {
  readonly base: string
  readonly child: ChildProcess
  ask(
    method: string,
    path: string,
    credentials?: string | Record<string, string>,
  ): Promise<{ status: number; challenge: string; body: Record<string, unknown> }>
}

/** Runs a server as a process of its own, which it can end. */
async function launch(file: string, environment: Record<string, string>): Promise<Launched> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const { PATH } = process.env
  const child = spawn(process.execPath, [file], {
    env: { PATH, PORT: String(port), BASE_URL: base, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  while (child.exitCode === null && !(await fetch(base).catch(() => undefined))) await wait(20)
  return {
    base,
    child,
    async ask(method, path, credentials = {}) {
      const isToken = typeof credentials === 'string'
      const headers = isToken ? { authorization: `Bearer ${credentials}` } : credentials
      const response = await fetch(base + path, { method, headers }).catch((cause) => {
        throw new Error(`it does not answer: ${log}`, { cause })
      })
      const text = await response.text()
      return {
        status: response.status,
        challenge: response.headers.get('www-authenticate') ?? '',
        body: text.startsWith('{') ? JSON.parse(text) : {},
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

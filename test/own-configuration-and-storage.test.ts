// Promises that hold whatever the configuration, the order of calls or the storage of a deployment.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import { Provider as OidcProvider } from 'oidc-provider'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import {
  ACCESS_TOKEN_TYPE,
  ImpersonationFeature,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../src/index.ts'
import { createConsumer } from '../src/tokens/single-use.ts'
import { basic, CLIENTS, deploy, signingKey } from './support/deployment.ts'
import { memoryAdapterWith } from './support/faulty-adapter.ts'

describe("the deployment's own configuration", () => {
  it('I7: managementApi.clients that no longer names the issuing client', async () => {
    const adapter = createMemoryAdapter()
    const resource = 'https://id.example.com/api'
    await using issuing = await deploy({
      configuration: { adapter },
      impersonation: { managementApi: { resource, clients: ['backend'] } },
    })
    const token = await issuing.m2mToken({ resource })
    const { body } = await issuing.issue({ userId: 'alice' }, { token })
    // The same issuer on the same storage, redeployed.
    const redeployed = new Provider(issuing.issuer, {
      adapter,
      jwks: { keys: [signingKey] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      clients: CLIENTS,
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      features: {
        clientCredentials: { enabled: true },
        resourceIndicators: { getResourceServerInfo: () => ({ scope: 'orders:read' }) },
        impersonation: { enabled: true, managementApi: { resource, clients: ['other'] } },
      },
    })
    const server = redeployed.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    const refused = await fetch(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
      {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
          client_id: 'console',
          subject_token: body.subjectToken,
          subject_token_type: ACCESS_TOKEN_TYPE,
          resource: issuing.orders,
        }),
      },
    )
    expect([refused.status, await refused.json()]).to.deep.equal([
      400,
      { error: 'invalid_request', error_description: 'subject token is invalid' },
    ])
    expect((await issuing.exchange({ subject_token: body.subjectToken })).status).to.equal(200)
    server.close()
  })

  it("another issuer's subject token, on the same storage, is worth nothing", async () => {
    const adapter = createMemoryAdapter()
    await using one = await deploy({ configuration: { adapter } })
    await using other = await deploy({ configuration: { adapter } })
    const subject_token = await one.subjectToken()
    expect((await other.exchange({ subject_token })).status).to.equal(400)
    expect((await one.exchange({ subject_token })).status).to.equal(200)
  })

  it('I8: ttl.SubjectToken says how long a subject token lives, an hour at most', async () => {
    const failure = await deploy({ configuration: { ttl: { SubjectToken: 3601 } } }).catch(String)
    expect(failure).to.include('ttl.SubjectToken must be at most 3600')
    for (const [given, lives] of [
      [undefined, 600],
      [30, 30],
      [() => 30, 30],
      [() => 31536000, 3600],
    ] as const) {
      await using deployment = await deploy({ configuration: { ttl: { SubjectToken: given } } })
      expect((await deployment.issue({ userId: 'alice' })).body.expiresIn).to.equal(lives)
    }
  })

  it('behind a proxy, callback() trusts what the provider trusts', async () => {
    const server = createServer().unref().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const seen: string[] = []
    const provider = new Provider(base, {
      adapter: createMemoryAdapter(),
      jwks: { keys: [signingKey] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      clients: [
        {
          client_id: 'backend',
          client_secret: 'backend-secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      findAccount(ctx, sub) {
        seen.push(ctx.ip)
        return { accountId: sub, claims: () => ({ sub }) }
      },
      features: {
        clientCredentials: { enabled: true },
        impersonation: {
          enabled: true,
          managementApi: { resource: `${base}/api`, clients: ['backend'] },
        },
      },
    })
    provider.proxy = true
    server.on('request', express().use(provider.impersonation.callback()).use(provider.callback()))
    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const response = await fetch(`${base}/token`, {
      method: 'POST',
      headers: { ...basic('backend', 'backend-secret'), ...forwarded },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        resource: `${base}/api`,
        scope: 'impersonate',
      }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: a token response, read once.
    const { access_token }: any = await response.json()
    const issued = await fetch(`${base}/api/subject-tokens`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        ...forwarded,
      },
      body: '{"userId":"alice"}',
    })
    expect([issued.status, ...seen]).to.deep.equal([201, '203.0.113.9'])
    server.close()
    server.closeAllConnections()
  })
})

describe('provider.use() after provider.callback()', () => {
  it('has no effect on that callback, and has on a later one', async () => {
    await using deployment = await deploy()
    const { provider } = deployment
    const app = express()
    app.use('/early', provider.callback() as express.RequestHandler)
    provider.use(provider.impersonation.routes())
    app.use('/late', provider.callback() as express.RequestHandler)
    const server = app.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const statuses = ['early', 'late'].map(async (mount) => {
      const path = `http://127.0.0.1:${port}/${mount}/api/subject-tokens`
      return (await fetch(path, { method: 'POST' })).status
    })
    expect(await Promise.all(statuses)).to.deep.equal([404, 401])
    server.close()
    server.closeAllConnections()
  })

  it('neither has a late register(): the status lists are 404, so APIs that check refuse every token', async () => {
    const impersonation = new ImpersonationFeature({
      enabled: true,
      managementApi: { resource: 'https://id.example.com/api', clients: ['backend'] },
    })
    const configuration = impersonation.configure({
      adapter: createMemoryAdapter(),
      jwks: { keys: [signingKey] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      features: { clientCredentials: { enabled: true } },
    })
    const provider = new OidcProvider('https://id.example.com', configuration)
    const app = express()
    app.use('/early', provider.callback())
    impersonation.register(provider)
    app.use('/late', provider.callback())
    const server = app.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const statuses = ['early', 'late'].map(async (mount) => {
      return (await fetch(`http://127.0.0.1:${port}/${mount}/status-lists`)).status
    })
    expect(await Promise.all(statuses)).to.deep.equal([404, 200])
    server.close()
    server.closeAllConnections()
  })
})

describe("the deployment's own storage", () => {
  it('I1: one guard for all providers of a process', async () => {
    const memory = createMemoryAdapter()('SubjectToken')
    await memory.upsert('guarded-id', { jti: 'guarded-id' }, 60)
    const slow = { ...memoryAdapterWith({ consumeOnce: undefined })('SubjectToken') }
    const adapter = Object.assign(slow, {
      async find(id: string) {
        await delay(5)
        return memory.find(id)
      },
      consume: (id: string) => memory.consume(id),
    })
    const claims = Array.from({ length: 10 }, () => createConsumer(adapter as never, 'per-process'))
    const answers = await Promise.all(claims.map((claim) => claim('guarded-id')))
    expect(answers.filter((won) => won)).to.have.lengthOf(1)
  })

  for (const [what, fields] of [
    ['a status of its own', { statusCode: 404, status: 404 }],
    ['a message to expose', { statusCode: 400, expose: true }],
  ] as const) {
    it(`I5, I6: an error with ${what} is a 500 that says nothing`, async () => {
      const fail = async () => {
        throw Object.assign(new Error('no such key: sekret'), fields)
      }
      await using deployment = await deploy({
        configuration: { adapter: memoryAdapterWith({ consumeOnce: fail }) },
        impersonation: { ending: { enabled: false } },
      })
      const subject_token = await deployment.subjectToken()
      const { status, body } = await deployment.exchange({ subject_token })
      expect(status).to.equal(500)
      expect(body).to.deep.equal({
        error: 'server_error',
        error_description: 'oops! something went wrong',
      })
    })
  }
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import PlainProvider from 'oidc-provider'
import { allowInsecureRequests, discovery } from 'openid-client'
import { upstreamSignIn } from '../../examples/upstream-sign-in.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { snippetsOf } from '../docs/documents.ts'
import { compile } from '../support/compile.ts'
import { signInAt } from '../support/development-sign-in.ts'

const RESOURCE = 'https://shop.example.com/orders'
/** The people of the company's directory, and their accounts here. */
const ACCOUNTS = new Map([['olivia@corp.example', 'olivia']])

describe('examples/upstream-sign-in.ts', () => {
  const servers: ReturnType<typeof createServer>[] = []
  let provider: Provider
  let issuer: string

  before(async () => {
    const [here, there] = [createServer(), createServer()]
    servers.push(here, there)
    const [base, upstream] = await Promise.all([here, there].map(addressOf))
    issuer = `${base}/oidc`

    const directory = new PlainProvider(String(upstream), {
      clients: [
        {
          client_id: 'provider',
          client_secret: 'secret',
          redirect_uris: [`${base}/sign-in/callback`],
        },
      ],
      claims: { openid: ['sub'], email: ['email'] },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, email: sub }) }),
    })
    there.on('request', directory.callback())

    provider = new Provider(issuer, {
      adapter: createMemoryAdapter(),
      clients: [
        {
          client_id: 'console',
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
          redirect_uris: ['https://console.example.com/callback'],
        },
        {
          client_id: 'backend',
          client_secret: 'secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
        },
        impersonation: {
          enabled: true,
          managementApi: { resource: `${base}/api`, clients: ['backend'] },
          applications: ['console'],
          actorToken: { required: true },
        },
      },
    })
    const app = new Koa()
    if (provider.keys) app.keys = provider.keys
    app.silent = true
    const configuration = await discovery(
      new URL(String(upstream)),
      'provider',
      'secret',
      undefined,
      { execute: [allowInsecureRequests] },
    )
    app.use(
      upstreamSignIn(provider, {
        configuration,
        accountOf: async ({ sub }) => ACCOUNTS.get(sub),
      }),
    )
    app.use(provider.impersonation.routes())
    app.use(mount('/oidc', provider))
    here.on('request', app.callback())
  })
  after(() => {
    for (const server of servers) server.close()
  })

  it('is for a server that compiles as docs/operators-elsewhere.md has it', async () => {
    await using snippets = await snippetsOf('operators-elsewhere.md')
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  }).timeout(60_000)

  it('names in act the account of the person who signed in at the upstream', async () => {
    const operator = await signInAt(issuer, 'olivia@corp.example')
    const { subjectToken } = await provider.impersonation.issue(
      { userId: 'alice', mayAct: { sub: 'olivia' } },
      { as: 'backend' },
    )
    const answer = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: 'console',
        grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
        subject_token: subjectToken,
        subject_token_type: ACCESS_TOKEN_TYPE,
        actor_token: operator,
        actor_token_type: ACCESS_TOKEN_TYPE,
        resource: RESOURCE,
      }),
    })
    const { access_token: token }: { access_token: string } = JSON.parse(await answer.text())
    expect(decodeJwt(token)).to.deep.include({ sub: 'alice', act: { sub: 'olivia' } })
  })

  it('refuses a person who has no account here', async () => {
    const refusal = await signInAt(issuer, 'mallory@corp.example').catch((error: Error) => error)
    expect(String(refusal)).to.match(/the sign-in was refused: .*access_denied/)
  })

  it('takes no answer of the upstream in a browser that did not begin the sign-in', async () => {
    const began = await fetch(
      `${issuer}/auth?${new URLSearchParams({
        client_id: 'console',
        response_type: 'code',
        redirect_uri: 'https://console.example.com/callback',
        scope: 'openid',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      })}`,
      { redirect: 'manual' },
    )
    const page = new URL(began.headers.get('location') ?? '', issuer)
    const stolen = await fetch(`${page.href}/callback?code=x&state=${page.pathname.slice(9)}`, {
      redirect: 'manual',
    })
    expect(stolen.status).to.equal(400)
  })
})

async function addressOf(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

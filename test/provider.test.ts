import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import middie from '@fastify/middie'
import { expect } from 'chai'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import mount from 'koa-mount'
import OidcProvider, { type Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import {
  Impersonation,
  Provider,
  type ProviderConfiguration,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../src/index.ts'
import { basic, CLIENTS, deploy, signingKey } from './support/deployment.ts'
import { memoryAdapterWith } from './support/faulty-adapter.ts'

const resource = 'https://id.example.com/api'
const enabled = { enabled: true, managementApi: { resource } }
const configuration: Configuration = {
  adapter: createMemoryAdapter(),
  jwks: { keys: [signingKey] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  clients: CLIENTS,
  cookies: { keys: ['test'] },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'read', accessTokenFormat: 'jwt' }),
    },
  },
}

function providerAt(issuer: string): Provider {
  return new Provider(issuer, {
    ...configuration,
    features: { ...configuration.features, impersonation: enabled },
  })
}

/** Issues and exchanges against `base`, and answers the two statuses. */
async function wholeFlow(base: string, issuer: string): Promise<number[]> {
  const token = async (form: Record<string, string>, headers = {}) =>
    fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form), headers })
  const m2m = await token(
    { grant_type: 'client_credentials', resource, scope: 'impersonate' },
    basic('backend', 'backend-secret'),
  )
  // biome-ignore lint/suspicious/noExplicitAny: two answers, each read once.
  const { access_token }: any = await m2m.json()
  const issued = await fetch(`${base}/api/subject-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'alice' }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const { subjectToken }: any = await issued.json()
  const exchanged = await token({
    grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
    client_id: 'console',
    subject_token: subjectToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: 'https://orders.example',
    scope: 'read',
  })
  return [issued.status, exchanged.status]
}

async function serving(
  build: (base: string, server: Server) => RequestListener | Promise<RequestListener>,
  use: (base: string) => Promise<unknown>,
): Promise<void> {
  const server = createServer().unref()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', await build(base, server))
  try {
    await use(base)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('where it can be mounted', () => {
  it('in a Koa app, with the provider at /oidc', () =>
    serving(
      (base) => {
        const provider = providerAt(`${base}/oidc`)
        const app = new Koa()
        app.use(provider.impersonation.routes())
        app.use(mount('/oidc', provider))
        return app.callback()
      },
      async (base) => expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200]),
    ))

  it('alone: in front of the provider itself', () =>
    serving(
      (base) => {
        const provider = providerAt(base)
        provider.use(provider.impersonation.routes())
        return provider.callback()
      },
      async (base) => expect(await wholeFlow(base, base)).to.deep.equal([201, 200]),
    ))

  it('below a mount of its own, which the path follows', () =>
    serving(
      (base) => {
        const provider = providerAt(base)
        const app = new Koa()
        app.use(mount('/admin', provider.impersonation.routes()))
        app.use(mount('/', provider))
        return app.callback()
      },
      async (base) => expect(await wholeFlow(`${base}/admin`, base)).to.deep.equal([201, 200]),
    ))

  it('under Express, also behind express.json()', () =>
    serving(
      (base) => {
        const provider = providerAt(`${base}/oidc`)
        const app = express()
        app.use('/parsed', express.json())
        app.use('/parsed', provider.impersonation.callback())
        app.use(provider.impersonation.callback())
        app.use('/oidc', provider.callback())
        app.get('/mine', (_request, response) => {
          response.send('still here')
        })
        return app
      },
      async (base) => {
        expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200])
        expect(await wholeFlow(`${base}/parsed`, `${base}/oidc`)).to.deep.equal([201, 200])
        const mine = await fetch(`${base}/mine`)
        expect([mine.status, await mine.text()]).to.deep.equal([200, 'still here'])
        expect((await fetch(`${base}/nothing`)).status).to.equal(404)
      },
    ))

  it('under Fastify', () =>
    serving(
      async (base) => {
        const provider = providerAt(`${base}/oidc`)
        const app = fastify()
        await app.register(middie)
        app.use(provider.impersonation.callback())
        app.use('/oidc', provider.callback())
        app.get('/mine', async () => 'still here')
        await app.ready()
        return (request, response) => app.routing(request, response)
      },
      async (base) => {
        expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200])
        expect(await (await fetch(`${base}/mine`)).text()).to.equal('still here')
      },
    ))

  it('as a plain Node request listener, which answers 404 to everything else', () =>
    serving(
      (base) => {
        const provider = providerAt(`${base}/oidc`)
        const api = provider.impersonation.callback()
        const oidc = express().use('/oidc', provider.callback())
        return (request, response) =>
          request.url?.startsWith('/oidc') ? oidc(request, response) : api(request, response)
      },
      async (base) => {
        expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200])
        expect((await fetch(`${base}/nothing`)).status).to.equal(404)
      },
    ))
})

describe('a provider without impersonation', () => {
  for (const [what, impersonation] of [
    ['enabled: false', { enabled: false }],
    ['no feature at all', undefined],
  ] as const) {
    it(`${what}: no route, no grant, and the rest as it was`, async () => {
      await serving(
        (base) => {
          const provider = new Provider(`${base}/oidc`, {
            ...configuration,
            features: { ...configuration.features, impersonation },
          })
          const app = new Koa()
          app.use(provider.impersonation.routes())
          app.use(mount('/oidc', provider))
          return app.callback()
        },
        async (base) => {
          expect((await fetch(`${base}/api/subject-tokens`, { method: 'POST' })).status).to.equal(
            404,
          )
          const discovery = await fetch(`${base}/oidc/.well-known/openid-configuration`)
          expect(await discovery.text()).to.not.include('token-exchange')
        },
      )
    })
  }
})

describe('Impersonation by hand', () => {
  it('configure, register, routes do what the drop-in does', () =>
    serving(
      (base) => {
        const impersonation = new Impersonation(enabled)
        const provider = new OidcProvider(`${base}/oidc`, impersonation.configure(configuration))
        impersonation.register(provider)
        const app = new Koa()
        app.use(impersonation.routes())
        app.use(mount('/oidc', provider))
        return app.callback()
      },
      async (base) => expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200]),
    ))

  it('configure leaves its argument as it is', () => {
    const before = { ...configuration, features: { ...configuration.features } }
    new Impersonation(enabled).configure(configuration)
    expect(configuration).to.deep.equal(before)
  })

  it('register refuses a provider whose configuration did not go through configure', () => {
    const impersonation = new Impersonation(enabled)
    expect(() =>
      impersonation.register(new OidcProvider('https://id.example.com', configuration)),
    ).to.throw(TypeError, /configure\(configuration\)/)
    const configured = impersonation.configure(configuration)
    for (const undone of [
      { ...configured, extraTokenClaims: () => ({ act: { sub: 'mallory' } }) },
      { ...configured, formats: {} },
      { ...configured, features: configuration.features },
    ]) {
      const provider = new OidcProvider('https://id.example.com', undone)
      expect(() => impersonation.register(provider)).to.throw(TypeError, /without act/)
    }
  })

  it('one Impersonation is for one provider, and routes() comes after register()', () => {
    const impersonation = new Impersonation(enabled)
    const configured = impersonation.configure(configuration)
    expect(() => impersonation.routes()).to.throw(TypeError, /after register/)
    expect(() => impersonation.configure(configuration)).to.throw(TypeError, /one provider/)
    impersonation.register(new OidcProvider('https://id.example.com', configured))
    const second = new OidcProvider('https://id.example.com', configured)
    expect(() => impersonation.register(second)).to.throw(TypeError, /one provider/)
  })
})

describe('start-up', () => {
  const start = (extra: object) =>
    new Provider('https://id.example.com', {
      ...configuration,
      features: { ...configuration.features, impersonation: enabled },
      ...extra,
    } as ProviderConfiguration)

  it('I1: refuses a custom adapter without consumeOnce, with the ways out', () => {
    expect(() => start({ adapter: memoryAdapterWith({ consumeOnce: undefined }) }))
      .to.throw(TypeError)
      .with.property('message')
      .that.includes('consumeOnce(id)')
      .and.includes('docs/adapters.md')
      .and.includes("'per-process'")
  })

  it('refuses features switched off that it needs', () => {
    for (const feature of ['clientCredentials', 'resourceIndicators']) {
      const features = { [feature]: { enabled: false }, impersonation: enabled }
      expect(() => start({ features })).to.throw(TypeError, `features.${feature}.enabled`)
    }
  })

  it('refuses two answers to how long a subject token lives, and takes either', async () => {
    const features = { impersonation: { ...enabled, subjectToken: { ttl: 60 } } }
    expect(() => start({ features, ttl: { SubjectToken: 30 } })).to.throw(TypeError, /set one/)
    const deployment = await deploy({
      configuration: { ttl: { SubjectToken: 30 } as Configuration['ttl'] },
    })
    expect((await deployment.issue({ userId: 'alice' })).body.expiresIn).to.equal(30)
    await deployment.close()
  })

  it("keeps the deployment's own ttl.ClientCredentials, except for the management API", async () => {
    const deployment = await deploy({
      configuration: { ttl: { ClientCredentials: 42 } },
      impersonation: {},
    })
    const { decodeJwt } = await import('jose')
    const { exp = 0, iat = 0 } = decodeJwt(await deployment.m2mToken())
    expect(exp - iat).to.equal(600)
    const other = decodeJwt(await deployment.m2mToken({ resource: deployment.orders }))
    expect((other.exp ?? 0) - (other.iat ?? 0)).to.equal(42)
    await deployment.close()
  })

  it('signs machine-to-machine tokens with whatever key there is', async () => {
    // The provider's default is RS256, for which there is no key here.
    const deployment = await deploy({
      configuration: { clientDefaults: {} },
      clients: [{ ...CLIENTS[0], client_id: 'm2m', id_token_signed_response_alg: 'ES256' }],
    })
    const { decodeProtectedHeader } = await import('jose')
    const token = await deployment.m2mToken({}, ['m2m', 'backend-secret'])
    expect(decodeProtectedHeader(token).alg).to.equal('ES256')
    await deployment.close()
  })
})

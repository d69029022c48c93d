import { once } from 'node:events'
import middie from '@fastify/middie'
import { expect } from 'chai'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import mount from 'koa-mount'
import { Provider } from '../src/index.ts'
import { freePort } from './adapters/servers.ts'
import { configuration, providerAt, serving, wholeFlow } from './support/serving.ts'

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

  describe('by its own listen(), as in the quick start of oidc-provider', () => {
    async function flowBy(prepare: (provider: Provider) => void) {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}`
      const provider = providerAt(base)
      prepare(provider)
      const server = provider.listen(port, '127.0.0.1')
      await once(server, 'listening')
      try {
        return await wholeFlow(base, base)
      } finally {
        server.close()
        server.closeAllConnections()
      }
    }

    it('serves the management API, if nobody has mounted it', async () => {
      expect(await flowBy(() => {})).to.deep.equal([201, 200])
    })

    it('adds nothing, if somebody has', async () => {
      const flow = await flowBy((provider) => {
        provider.use(provider.impersonation.routes())
        const { length } = provider.middleware
        const { listen } = provider
        provider.listen = (...given: unknown[]) => {
          const server = Reflect.apply(listen, provider, given)
          expect(provider.middleware.length).to.equal(length)
          return server
        }
      })
      expect(flow).to.deep.equal([201, 200])
    })

    it('and callback() adds nothing', () =>
      serving(
        (base) => providerAt(base).callback(),
        async (base) => {
          const { status } = await fetch(`${base}/api/subject-tokens`, { method: 'POST' })
          expect(status).to.equal(404)
        },
      ))
  })

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

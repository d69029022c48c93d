import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import { Provider } from '../src/index.ts'
import { freePort } from './adapters/servers.ts'
import { configuration, providerAt, serving, wholeFlow } from './support/serving.ts'

/** The provider at a path of Koa, behind its routes. */
function withRoutes(provider: Provider) {
  return new Koa()
    .use(provider.impersonation.routes())
    .use(mount(new URL(provider.issuer).pathname, provider))
    .callback()
}

/** Where the issuer is, and the management API, below the origin. Frameworks: docs/frameworks.test.ts. */
const MOUNTINGS: Record<
  string,
  [
    issuer: string,
    api: string,
    build: (provider: Provider) => RequestListener | Promise<RequestListener>,
  ]
> = {
  'in a Koa app, with the provider at /oidc': ['/oidc', '', withRoutes],
  'alone: in front of the provider itself': [
    '',
    '',
    (provider) => {
      provider.use(provider.impersonation.routes())
      return provider.callback()
    },
  ],
  'below a mount of its own, which the path follows': [
    '',
    '/admin',
    (provider) =>
      new Koa()
        .use(mount('/admin', provider.impersonation.routes()))
        .use(mount('/', provider))
        .callback(),
  ],
  'as a plain Node request listener': [
    '/oidc',
    '',
    (provider) => {
      const api = provider.impersonation.callback()
      const oidc = express().use('/oidc', provider.callback())
      return (request, response) =>
        request.url?.startsWith('/oidc') ? oidc(request, response) : api(request, response)
    },
  ],
}

describe('where it can be mounted', () => {
  for (const [what, [issuer, api, build]] of Object.entries(MOUNTINGS)) {
    it(what, () =>
      serving(
        (base) => build(providerAt(base + issuer)),
        async (base) => {
          expect(await wholeFlow(base + api, base + issuer)).to.deep.equal([201, 200])
          expect((await fetch(`${base}/nothing`)).status).to.equal(404)
        },
      ),
    )
  }

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
})

describe('a provider without impersonation', () => {
  for (const [what, impersonation] of [
    ['enabled: false', { enabled: false }],
    ['no feature at all', undefined],
  ] as const) {
    it(`${what}: no route, no grant, and the rest as it was`, () =>
      serving(
        (base) => {
          const features = { ...configuration.features, impersonation }
          return withRoutes(new Provider(`${base}/oidc`, { ...configuration, features }))
        },
        async (base) => {
          const { status } = await fetch(`${base}/api/subject-tokens`, { method: 'POST' })
          expect(status).to.equal(404)
          const discovery = await fetch(`${base}/oidc/.well-known/openid-configuration`)
          expect(await discovery.text()).to.not.include('token-exchange')
        },
      ))
  }
})

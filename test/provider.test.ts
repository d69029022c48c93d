import { once } from 'node:events'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import OidcProvider from 'oidc-provider'
import { ImpersonationFeature, Provider } from '../src/index.ts'
import { freePort } from './adapters/servers.ts'
import { expectAnswer } from './support/http.ts'
import { configuration, enabled, providerAt, serving, wholeFlow } from './support/serving.ts'

/** The provider at a path of Koa, behind its routes. */
function withRoutes(provider: Provider) {
  return new Koa()
    .use(provider.impersonation.routes())
    .use(mount(new URL(provider.issuer).pathname, provider))
    .callback()
}

describe('by its own listen(), as in the quick start of oidc-provider', () => {
  async function flowBy(prepare: (provider: Provider) => void) {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const provider = providerAt(base)
    prepare(provider)
    await using server = provider.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return await wholeFlow(base, base)
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
        await expectAnswer(fetch(`${base}/api/subject-tokens`, { method: 'POST' }), 404)
      },
    ))
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
          await expectAnswer(fetch(`${base}/api/subject-tokens`, { method: 'POST' }), 404)
          const discovery = await fetch(`${base}/oidc/.well-known/openid-configuration`)
          expect(await discovery.text()).to.not.include('token-exchange')
        },
      ))
  }
})

describe('ImpersonationFeature by hand', () => {
  it('configure, register, routes do what the drop-in does', () =>
    serving(
      (base) => {
        const impersonation = new ImpersonationFeature(enabled)
        const provider = new OidcProvider(`${base}/oidc`, impersonation.configure(configuration))
        impersonation.register(provider)
        const app = new Koa()
        app.use(impersonation.routes())
        app.use(mount('/oidc', provider))
        return app.callback()
      },
      async (base) => expect(await wholeFlow(base, `${base}/oidc`)).to.deep.equal([201, 200]),
    ))

  it('register refuses a provider whose configuration did not go through configure', () => {
    const impersonation = new ImpersonationFeature(enabled)
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

  it('one ImpersonationFeature is for one provider, and routes() comes after register()', () => {
    const impersonation = new ImpersonationFeature(enabled)
    const configured = impersonation.configure(configuration)
    expect(() => impersonation.routes()).to.throw(TypeError, /one provider/)
    expect(() => impersonation.configure(configuration)).to.throw(TypeError, /one provider/)
    impersonation.register(new OidcProvider('https://id.example.com', configured))
    const second = new OidcProvider('https://id.example.com', configured)
    expect(() => impersonation.register(second)).to.throw(TypeError, /one provider/)
  })
})

import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import OidcProvider from 'oidc-provider'
import { ImpersonationFeature } from '../src/index.ts'
import { configuration, enabled, serving, wholeFlow } from './support/serving.ts'

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

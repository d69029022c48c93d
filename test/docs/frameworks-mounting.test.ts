// What docs/frameworks.md says about mounting, proxies and cookies.
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import express from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Account, KoaContextWithOIDC } from 'oidc-provider'
import type { Provider } from '../../src/index.ts'
import { athOf, dpopKey } from '../support/dpop.ts'
import { answerOf, askUndescribed } from '../support/http.ts'
import { serving } from '../support/serving.ts'
import { type Snippets, snippetsOf } from './documents.ts'
import { exchange, issue, machineToken, providerWith } from './framework-requests.ts'
import { launch, signInPage } from './framework-server.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Tenants {
  findAccount(ctx: KoaContextWithOIDC, sub: string): Account | undefined
  useTenants(provider: Provider): void
}

describe('docs/frameworks.md on what goes wrong', function () {
  this.timeout(60_000)
  let snippets: Snippets

  before(async () => {
    snippets = await snippetsOf('frameworks.md', 'js')
  })
  after(() => snippets[Symbol.asyncDispose]())

  describe('mounting', () => {
    const acme = { 'x-tenant': 'acme' }
    const tenants = async () => (await snippets.load('Mounting')) as unknown as Tenants

    it('provider.use(routes()) runs after what provider.use added before', async () => {
      const { findAccount, useTenants } = await tenants()
      await serving(
        (base) => {
          const provider = providerWith(`${base}/oidc`, { findAccount })
          useTenants(provider)
          return express().use('/oidc', provider.callback())
        },
        async (base) => {
          const oidc = `${base}/oidc`
          expect((await issue(oidc, oidc, '{"userId":"alice"}', acme)).status).to.equal(201)
          expect((await issue(oidc, oidc, '{"userId":"bob"}', acme)).status).to.equal(404)
          const beside = () => issue(base, oidc, '{"userId":"alice"}', acme)
          // Express itself answers.
          expect((await askUndescribed(beside)).status).to.equal(404)
        },
      )
    })

    it('callback() and routes() beside the provider run without it: 404 user_not_found', async () => {
      const { findAccount, useTenants } = await tenants()
      const beside = (base: string) => {
        const provider = providerWith(`${base}/oidc`, { findAccount })
        useTenants(provider)
        return provider
      }
      const refused = async (base: string) => {
        const { status, body } = await issue(base, `${base}/oidc`, undefined, acme)
        expect([status, body.error]).to.deep.equal([404, 'user_not_found'])
      }
      await serving((base) => {
        const provider = beside(base)
        const { impersonation } = provider
        return express().use(impersonation.callback()).use('/oidc', provider.callback())
      }, refused)
      await serving((base) => {
        const provider = beside(base)
        const app = new Koa().use(provider.impersonation.routes()).use(mount('/oidc', provider))
        return app.callback()
      }, refused)
    })

    it('what Express middleware puts on the request is in ctx.req of both', async () => {
      const seen: unknown[] = []
      await serving(
        (base) => {
          const provider = providerWith(`${base}/oidc`, {
            findAccount(ctx, sub) {
              seen.push([ctx.oidc.route, 'tenant' in ctx.req && ctx.req.tenant])
              return { accountId: sub, claims: () => ({ sub }) }
            },
          })
          const app = express()
          app.use((request, _response, next) => {
            Object.assign(request, { tenant: 'acme' })
            next()
          })
          app.use(provider.impersonation.callback())
          app.use('/oidc', provider.callback())
          return app
        },
        async (base) => {
          const { body } = await issue(base, `${base}/oidc`)
          await exchange(`${base}/oidc`, body.subjectToken)
        },
      )
      expect(seen).to.deep.include(['subject_tokens', 'acme']).and.deep.include(['token', 'acme'])
    })

    it('the management API follows its own mount, and managementApi.prefix', () =>
      serving(
        (base) => {
          const own = {
            managementApi: {
              resource: 'https://id.example.com/api',
              clients: ['backend'],
              prefix: '/support',
            },
          }
          const provider = providerWith(`${base}/oidc`, {}, own)
          const app = express()
          app.use('/admin', provider.impersonation.callback())
          app.use('/oidc', provider.callback())
          return app
        },
        async (base) => {
          const path = `${base}/admin/support/subject-tokens`
          expect((await fetch(path, { method: 'POST' })).status).to.equal(401)
          const usual = `${base}/api/subject-tokens`
          expect((await fetch(usual, { method: 'POST' })).status).to.equal(404)
        },
      ))
  })

  describe('reverse proxies', () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example.com' }
    const origin = 'https://id.example.com'

    /**
     * The token endpoint of discovery, the origin of `Location`, and what issuing by a bound token
     * through the proxy answers. A proof is compared with the issuer's origin, whatever is trusted, and
     * `Location` has it.
     */
    async function throughProxy(base: string): Promise<unknown[]> {
      const discovery = `${base}/oidc/.well-known/openid-configuration`
      const { body } = await answerOf(await fetch(discovery, { headers: forwarded }))
      const key = await dpopKey()
      const { token_endpoint: htu } = body
      const machine = await machineToken(`${base}/oidc`, {
        ...forwarded,
        dpop: await key.proof({ htu }),
      })
      const { access_token } = machine.body
      const proof = { htu: `${origin}/api/subject-tokens`, ath: athOf(access_token) }
      const { status, headers } = await issue(base, `${base}/oidc`, undefined, {
        ...forwarded,
        authorization: `DPoP ${access_token}`,
        dpop: await key.proof(proof),
      })
      return [htu, new URL(headers.get('location') ?? '').origin, status]
    }

    it('provider.proxy = true before callback() counts for both', () =>
      serving(
        () => {
          const provider = providerWith(`${origin}/oidc`)
          provider.proxy = true
          const { impersonation } = provider
          return express().use(impersonation.callback()).use('/oidc', provider.callback())
        },
        async (base) =>
          expect(await throughProxy(base)).to.deep.equal([`${origin}/oidc/token`, origin, 201]),
      ))

    it('provider.proxy = true after callback() does not reach it', () =>
      serving(
        () => {
          const provider = providerWith(`${origin}/oidc`)
          const api = provider.impersonation.callback()
          provider.proxy = true
          return express().use(api).use('/oidc', provider.callback())
        },
        async (base) =>
          expect(await throughProxy(base)).to.deep.equal([`${origin}/oidc/token`, origin, 201]),
      ))

    it('under Express, trust proxy alone changes nothing', () =>
      serving(
        () => {
          const provider = providerWith(`${origin}/oidc`)
          const app = express().set('trust proxy', true)
          app.use(provider.impersonation.callback())
          app.use('/oidc', provider.callback())
          return app
        },
        async (base) =>
          expect(await throughProxy(base)).to.deep.equal([`${base}/oidc/token`, origin, 201]),
      ))

    for (const [proxy, told] of [
      ['app', [`${origin}/oidc/token`, origin, 201]],
      ['provider', undefined],
    ] as const) {
      it(`in a Koa application, ${proxy}.proxy = true ${told ? 'counts' : 'changes nothing'}`, () =>
        serving(
          () => {
            const provider = providerWith(`${origin}/oidc`)
            const app = new Koa()
            Object.assign(proxy === 'app' ? app : provider, { proxy: true })
            app.use(provider.impersonation.routes()).use(mount('/oidc', provider))
            return app.callback()
          },
          async (base) =>
            expect(await throughProxy(base)).to.deep.equal(
              told ?? [`${base}/oidc/token`, origin, 201],
            ),
        ))
    }
  })

  describe('cookies', () => {
    it('without app.keys, signing in under koa-mount ends before it begins', async () => {
      const folder = join(snippets.folder, 'src')
      const code = await readFile(join(folder, 'koa.mjs'), 'utf8')
      expect(code).to.include('app.keys = provider.keys\n')
      const file = join(folder, 'koa-without-keys.mjs')
      await writeFile(file, code.replace('app.keys = provider.keys\n', ''))
      await using server = await launch(file)
      const page = await signInPage(server.base, `${server.base}/oidc`)
      expect(page.status).to.equal(400)
      expect(await page.text()).to.include('interaction session id cookie not found')
    })

    it('every document and example that mounts the provider hands on its keys', async () => {
      const mounting: string[] = []
      for await (const file of glob(
        ['*.md', 'docs/*.md', 'packages/*/README.md', 'examples/*.ts'],
        { cwd: ROOT },
      )) {
        if (file.includes('node_modules')) continue
        const text = await readFile(join(ROOT, file), 'utf8')
        const codes = file.endsWith('.md') ? text.match(/^```[jt]s\n.*?^```$/gms) : [text]
        for (const code of codes ?? []) {
          if (!/^[^/\n]*\bmount\('\/oidc', provider\)/m.test(code)) continue
          mounting.push(file)
          expect(code, file).to.match(/^\s*\w+\.keys = provider\.keys\b/m)
        }
      }
      expect(mounting).to.include.members(['examples/minimal.ts', 'packages/console/README.md'])
    })

    it('impersonation sets none', () =>
      serving(
        (base) => {
          const provider = providerWith(base)
          provider.use(provider.impersonation.routes())
          return provider.callback()
        },
        async (base) => {
          const issued = await issue(base, base)
          const exchanged = await exchange(base, issued.body.subjectToken)
          expect([issued.status, exchanged.status]).to.deep.equal([201, 200])
          for (const { headers } of [issued, exchanged]) {
            expect(headers.getSetCookie()).to.deep.equal([])
          }
        },
      ))
  })
})

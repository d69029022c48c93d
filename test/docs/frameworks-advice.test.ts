// The advice of docs/frameworks.md around its servers.

import { readFile, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import express from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Provider } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { askUndescribed, expectAnswer } from '../support/http.ts'
import { launch } from '../support/program.ts'
import { exchange, issue, providerAt, serving } from '../support/serving.ts'
import { shared } from '../support/shared.ts'
import { snippetsOf } from './documents.ts'
import { signInPage, TRIED_OUT, tryOut } from './framework-server.ts'

const ORIGIN = 'https://id.example.com'

type MountAll = (app: express.Express, providers: Record<string, Provider>) => void

interface Tenants {
  findAccount(ctx: KoaContextWithOIDC, sub: string): Account | undefined
  useTenants(provider: Provider): void
}

/** Both beside each other. `before` stands in front of the management API. */
function underExpress(provider: Provider, ...before: express.RequestHandler[]): express.Express {
  const app = express().set('env', 'test')
  return app.use(...before, provider.impersonation.callback()).use('/oidc', provider.callback())
}

function underKoa(provider: Provider, app = new Koa()): RequestListener {
  return app.use(provider.impersonation.routes()).use(mount('/oidc', provider)).callback()
}

describe('docs/frameworks.md on what goes wrong', () => {
  const snippets = shared(() => snippetsOf('frameworks.md', 'js'))

  /** The file of a server of the page, with a line changed. */
  async function changed(name: string, line: string, by: string) {
    const folder = join(snippets.folder, 'src')
    const code = await readFile(join(folder, `${name}.mjs`), 'utf8')
    expect(code).to.include(line)
    const file = join(folder, `${name}-changed.mjs`)
    await writeFile(file, code.replace(line, by))
    return file
  }

  describe('mounting', () => {
    const acme = { 'x-tenant': 'acme' }

    /** Serves the tenants of the page, mounted in some way. */
    async function servingTenants(
      mounted: (provider: Provider) => RequestListener,
      use: (base: string) => Promise<unknown>,
    ): Promise<void> {
      const { findAccount, useTenants } = (await snippets.load('Mounting', 1)) as unknown as Tenants
      await serving((base) => {
        const provider = providerAt(`${base}/oidc`, { findAccount })
        useTenants(provider)
        return mounted(provider)
      }, use)
    }

    it('provider.use(routes()) runs after what provider.use added before, and sets no cookie', () =>
      servingTenants(
        (provider) => express().use('/oidc', provider.callback()),
        async (base) => {
          const oidc = `${base}/oidc`
          const issued = await expectAnswer(issue(oidc, oidc, undefined, acme), 201)
          const exchanged = exchange(oidc, issued.body.subjectToken, acme)
          for (const { headers } of [issued, await expectAnswer(exchanged, 200)]) {
            expect(headers.getSetCookie()).to.deep.equal([])
          }
          await expectAnswer(issue(oidc, oidc, '{"userId":"bob"}', acme), 404)
          // Express itself answers.
          const beside = askUndescribed(() => issue(base, oidc, undefined, acme))
          await expectAnswer(beside, 404)
        },
      ))

    for (const [framework, mounted] of Object.entries({ Express: underExpress, Koa: underKoa })) {
      it(`beside the provider, under ${framework}, they run without it: 404 user_not_found`, () =>
        servingTenants(mounted, async (base) => {
          const issued = issue(base, `${base}/oidc`, undefined, acme)
          await expectAnswer(issued, 404, 'user_not_found')
        }))
    }

    it('several providers in one process each answer below a path of their own', async () => {
      const { mountAll } = (await snippets.load('Mounting')) as { mountAll: MountAll }
      await serving(
        (base) => {
          const app = express()
          mountAll(app, {
            acme: providerAt(`${base}/acme/oidc`),
            globex: providerAt(`${base}/globex/oidc`),
          })
          return app
        },
        async (base) => {
          const [acme, globex] = [`${base}/acme`, `${base}/globex`]
          const issued = await expectAnswer(issue(acme, `${acme}/oidc`), 201)
          const { subjectToken } = issued.body
          await expectAnswer(exchange(`${globex}/oidc`, subjectToken), 400)
          await expectAnswer(exchange(`${acme}/oidc`, subjectToken), 200)
          await expectAnswer(issue(globex, `${acme}/oidc`), 401)
        },
      )
    })
  })

  it('both.mjs has two token exchanges in one provider, by subject_token_type', async () => {
    const loaded = await snippets.load('Your existing provider')
    const BothProvider = loaded.BothProvider as typeof Provider
    await using deployment = await deploy({ make: (...given) => new BothProvider(...given) })
    const { impersonation } = deployment.provider
    const { subjectToken } = await impersonation.issue({ userId: 'alice' }, { as: 'backend' })
    await deployment.redeem(subjectToken)
    const form = { subject_token: 'v', subject_token_type: 'urn:example:token-type:voucher' }
    const { body } = await askUndescribed(() => deployment.exchange(form))
    expect(body).to.deep.equal({ voucher: 'v' })
  })

  const behindProxy: Record<string, [does: boolean, build: (own: Provider) => RequestListener]> = {
    'provider.proxy = true before callback()': [
      true,
      (provider) => underExpress(Object.assign(provider, { proxy: true })),
    ],
    'under Express, trust proxy alone': [
      false,
      (provider) => express().set('trust proxy', true).use(underExpress(provider)),
    ],
    'under Koa, app.proxy = true': [
      true,
      (provider) => underKoa(provider, new Koa({ proxy: true })),
    ],
    'under Koa, provider.proxy = true': [
      false,
      (provider) => underKoa(Object.assign(provider, { proxy: true })),
    ],
  }
  for (const [what, [does, build]] of Object.entries(behindProxy)) {
    it(`behind a proxy, ${what} ${does ? 'counts' : 'changes nothing'}`, () =>
      serving(
        () => build(providerAt(`${ORIGIN}/oidc`)),
        async (base) => {
          const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example.com' }
          const url = `${base}/oidc/.well-known/openid-configuration`
          const { token_endpoint } = Object(await (await fetch(url, { headers })).json())
          expect(token_endpoint).to.equal(`${does ? ORIGIN : base}/oidc/token`)
        },
      ))
  }

  describe('cookies', () => {
    it('without app.keys, signing in under koa-mount ends before it begins', async () => {
      await using server = await launch(await changed('koa', 'app.keys = provider.keys\n', ''))
      const page = await signInPage(server.base, `${server.base}/oidc`)
      expect(page.status).to.equal(400)
      expect(await page.text()).to.include('interaction session id cookie not found')
    })
  })

  describe('body parsers', () => {
    for (const [name, line, parser] of [
      ['express', 'const app = express()\n', 'app.use(express.json(), express.urlencoded())\n'],
      ['koa', 'const app = new Koa()\n', "app.use((await import('koa-body')).koaBody())\n"],
    ] as const) {
      it(`${name}.mjs works behind parsers, and oidc-provider prints a warning`, async () => {
        const file = await changed(name, line, line + parser)
        await using server = await launch(file)
        expect(await tryOut(file, server)).to.equal(TRIED_OUT)
        expect(server.log).to.include('already parsed request body detected')
      })
    }

    it('the limit of the parser counts instead of limits.bodyBytes, and it answers malformed JSON', () =>
      serving(
        (base) => underExpress(providerAt(`${base}/oidc`), express.json()),
        async (base) => {
          const bodies: [text: string, status: number][] = [
            [`{"userId":"alice"${' '.repeat(20_000)}}`, 201],
            [JSON.stringify({ userId: 'alice', context: { text: 'x'.repeat(5_000) } }), 400],
          ]
          for (const [text, status] of bodies) {
            await expectAnswer(issue(base, `${base}/oidc`, text), status)
          }
          const page = await askUndescribed(() => issue(base, `${base}/oidc`, '{"userId":'))
          expect(page.headers.get('content-type')).to.match(/^text.html/)
        },
      ))
  })

  describe('a browser on another origin', () => {
    const allowed = 'Access-Control-Allow-Origin'
    const console = 'https://console.example.com'

    function withCors(own: Configuration, use: (base: string) => Promise<unknown>): Promise<void> {
      return serving((base) => {
        const provider = providerAt(base, own)
        provider.use(provider.impersonation.routes())
        return provider.callback()
      }, use)
    }

    /** Issues, and exchanges from an origin: status, error, and what lets the page read them. */
    async function from(origin: string, base: string): Promise<unknown[]> {
      const { body: issued } = await issue(base, base)
      const answer = await exchange(base, issued.subjectToken, { origin })
      return [answer.status, answer.body.error, answer.headers.get(allowed)]
    }

    it('may have the origins that clientBasedCORS allows, by a boolean', async () => {
      const cors = (await snippets.load('Browsers on another origin')) as Configuration
      await withCors(cors, async (base) => {
        for (const origin of [console, 'https://support.example.com']) {
          expect(await from(origin, base)).to.deep.equal([200, undefined, origin])
        }
        const refused = await from('https://evil.example.com', base)
        expect(refused).to.deep.equal([400, 'invalid_request', null])
      })
      await withCors({ clientBasedCORS: (async () => true) as never }, async (base) => {
        expect(await from(console, base)).to.deep.equal([500, 'server_error', console])
      })
    })

    it('cannot call the management API', () =>
      withCors({ clientBasedCORS: () => true }, async (base) => {
        const url = `${base}/api/subject-tokens`
        const headers = { origin: console, 'access-control-request-method': 'POST' }
        await expectAnswer(fetch(url, { method: 'OPTIONS', headers }), 405)
        const issued = await issue(base, base, undefined, { origin: console })
        expect([issued.status, issued.headers.get(allowed)]).to.deep.equal([201, null])
      }))
  })
})

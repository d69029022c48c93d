// What docs/frameworks.md says about body parsers, errors and other origins.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import express, { type ErrorRequestHandler } from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Configuration } from 'oidc-provider'
import type { Provider } from '../../src/index.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { type Answer, basic } from '../support/http.ts'
import { serving } from '../support/serving.ts'
import { type Snippets, snippetsOf } from './documents.ts'
import { exchange, issue, machineToken, providerWith } from './framework-requests.ts'
import { launch, TRIED_OUT } from './framework-server.ts'

const OOPS = { error: 'server_error', error_description: 'oops! something went wrong' }

describe('docs/frameworks.md on what goes wrong', function () {
  this.timeout(60_000)
  let snippets: Snippets

  before(async () => {
    snippets = await snippetsOf('frameworks.md', 'js')
  })
  after(() => snippets[Symbol.asyncDispose]())

  describe('body parsers', () => {
    for (const [name, line, parser] of [
      ['express', 'const app = express()\n', 'app.use(express.json(), express.urlencoded())\n'],
      ['koa', 'const app = new Koa()\n', "app.use((await import('koa-body')).koaBody())\n"],
    ] as const) {
      it(`${name}.mjs works behind parsers, and oidc-provider prints a warning`, async () => {
        const folder = join(snippets.folder, 'src')
        const code = await readFile(join(folder, `${name}.mjs`), 'utf8')
        expect(code).to.include(line)
        const file = join(folder, `${name}-behind-parsers.mjs`)
        await writeFile(file, code.replace(line, line + parser))
        await using server = await launch(file)
        expect(await server.tryOut()).to.equal(TRIED_OUT)
        expect(server.log).to.include('already parsed request body detected')
      })
    }

    /** A provider behind Express middleware. */
    const behind =
      (...before: express.RequestHandler[]) =>
      (base: string) => {
        const provider = providerWith(`${base}/oidc`)
        const app = express().use('/behind', ...before, provider.impersonation.callback())
        return app.use(provider.impersonation.callback()).use('/oidc', provider.callback())
      }

    it('the limit of the parser counts instead of limits.bodyBytes', () =>
      serving(behind(express.json()), async (base) => {
        const large = `{"userId":"alice"${' '.repeat(20_000)}}`
        expect((await issue(base, `${base}/oidc`, large)).status).to.equal(413)
        expect((await issue(`${base}/behind`, `${base}/oidc`, large)).status).to.equal(201)
        const context = JSON.stringify({ userId: 'alice', context: { text: 'x'.repeat(5_000) } })
        expect((await issue(`${base}/behind`, `${base}/oidc`, context)).status).to.equal(400)
      }))

    it('the parser answers malformed JSON, and no event is emitted', async () => {
      const denied: unknown[] = []
      await serving(
        (base) => {
          const provider = providerWith(`${base}/oidc`)
          provider.on('impersonation.denied', (_ctx, event) => denied.push(event))
          const app = express().set('env', 'test')
          app.use('/behind', express.json(), provider.impersonation.callback())
          app.use(provider.impersonation.callback())
          return app.use('/oidc', provider.callback())
        },
        async (base) => {
          const page = await issue(`${base}/behind`, `${base}/oidc`, '{"userId":')
          expect([page.status, page.headers.get('content-type')].join(' ')).to.match(
            /^400 text.html/,
          )
          expect(denied).to.have.lengthOf(0)
          const own = await issue(base, `${base}/oidc`, '{"userId":')
          expect([own.status, own.body.error]).to.deep.equal([400, 'invalid_request'])
          expect(denied).to.have.lengthOf(1)
        },
      )
    })

    it('code that reads the stream and keeps it to itself leaves nothing: 400', () =>
      serving(
        (base) => {
          const provider = providerWith(`${base}/oidc`)
          const app = express()
          app.use('/behind', async (request, _response, next) => {
            for await (const _ of request);
            next()
          })
          app.use('/behind', provider.impersonation.callback())
          return app.use(['/oidc', '/behind/oidc'], provider.callback())
        },
        async (base) => {
          const issued = await issue(`${base}/behind`, `${base}/oidc`)
          expect([issued.status, issued.body]).to.deep.equal([
            400,
            { error: 'invalid_request', error_description: 'a JSON object is expected' },
          ])
          const machine = await machineToken(`${base}/behind/oidc`)
          expect([machine.status, machine.body.error]).to.deep.equal([400, 'invalid_request'])
        },
      ))
  })

  describe('a 500', () => {
    for (const framework of ['Express', 'Koa'] as const) {
      it(`under ${framework} is told by server_error, and the log of the deployment has nothing`, async () => {
        const { adapter, faults } = faultyAdapter()
        const elsewhere: unknown[] = []
        const denials: unknown[] = []
        const { write } = process.stderr
        let provider: Provider | undefined
        const fail = async (base: string, call: string, request: () => Promise<Answer>) => {
          process.stderr.write = (text: unknown) => elsewhere.push(text) > 0
          faults.add(call)
          try {
            const { status, body } = await request()
            expect([status, body]).to.deep.equal([500, OOPS], base)
          } finally {
            faults.delete(call)
            process.stderr.write = write
          }
        }
        await serving(
          (base) => {
            provider = providerWith(`${base}/oidc`, { adapter })
            provider.on('impersonation.denied', (_ctx, { denial }) => denials.push(denial?.error))
            const { impersonation } = provider
            if (framework === 'Koa') {
              const app = new Koa().on('error', (error) => elsewhere.push(error))
              return app.use(impersonation.routes()).use(mount('/oidc', provider)).callback()
            }
            const onError: ErrorRequestHandler = (error, _request, _response, next) => {
              elsewhere.push(error)
              next(error)
            }
            const app = express().use(impersonation.callback())
            return app.use('/oidc', provider.callback()).use(onError)
          },
          async (base) => {
            const issuer = `${base}/oidc`
            const { body } = await issue(base, issuer)
            const failAtBoth = async () => {
              await fail(base, 'SubjectToken.upsert', () => issue(base, issuer))
              await fail(base, 'SubjectToken.find', () => exchange(issuer, body.subjectToken))
            }
            await failAtBoth()
            expect(elsewhere).to.deep.equal([])
            expect(denials).to.deep.equal(['server_error', 'server_error'])
            // And now with the listener of the document.
            const { logServerErrors } = await snippets.load('Where a 500 is told')
            ;(logServerErrors as (provider: Provider | undefined) => void)(provider)
            await failAtBoth()
            const told = elsewhere.join('')
            expect(told).to.match(/^POST \/api\/subject-tokens Error: .* SubjectToken.upsert/)
            expect(told).to.match(/^POST \/token Error: .* SubjectToken.find/m)
          },
        )
      })
    }
  })

  describe('a browser on another origin', () => {
    const allowed = 'Access-Control-Allow-Origin'
    const console = 'https://console.example.com'

    /** A preflight request as a browser sends it before a POST with these headers. */
    async function preflight(url: string, origin: string): Promise<unknown[]> {
      const { status, headers } = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,dpop',
        },
      })
      return [status, headers.get(allowed)]
    }

    function withCors(own: Configuration, use: (base: string) => Promise<unknown>): Promise<void> {
      return serving((base) => {
        const provider = providerWith(base, own)
        provider.use(provider.impersonation.routes())
        return provider.callback()
      }, use)
    }

    /** Issues, and exchanges from an origin: status, error, and what lets the page read them. */
    async function from(origin: string, base: string, headers = {}): Promise<unknown[]> {
      const { body: issued } = await issue(base, base)
      const answer = await exchange(base, issued.subjectToken, { origin, ...headers })
      return [answer.status, answer.body.error, answer.headers.get(allowed)]
    }

    it('passes the preflight, and is refused by the request itself, the token unspent', () =>
      withCors({}, async (base) => {
        expect(await preflight(`${base}/token`, console)).to.deep.equal([204, console])
        const { body: issued } = await issue(base, base)
        const refused = await exchange(base, issued.subjectToken, { origin: console })
        expect([refused.status, refused.body.error]).to.deep.equal([400, 'invalid_request'])
        expect(refused.headers.get(allowed)).to.equal(null)
        expect((await exchange(base, issued.subjectToken)).status).to.equal(200)
      }))

    it("by default may have the origin of a public client's redirect_uris, and no other client", () =>
      withCors({}, async (base) => {
        const origin = 'https://app.example.com'
        expect(await from(origin, base)).to.deep.equal([200, undefined, origin])
        const web = basic('web', 'web-secret')
        expect(await from(origin, base, web)).to.deep.equal([400, 'invalid_request', null])
      }))

    it('may have the origins that clientBasedCORS allows', async () => {
      const cors = await snippets.load('Browsers on another origin')
      await withCors(cors as Configuration, async (base) => {
        for (const origin of [console, 'https://support.example.com']) {
          expect(await from(origin, base)).to.deep.equal([200, undefined, origin])
        }
        const other = 'https://evil.example.com'
        expect(await preflight(`${base}/token`, other)).to.deep.equal([204, other])
        expect(await from(other, base)).to.deep.equal([400, 'invalid_request', null])
      })
    })

    it('is answered by a boolean, and not a promise', () =>
      withCors({ clientBasedCORS: (async () => true) as never }, async (base) => {
        expect(await from(console, base)).to.deep.equal([500, 'server_error', console])
      }))

    it('cannot call the management API', () =>
      withCors({ clientBasedCORS: () => true }, async (base) => {
        const url = `${base}/api/subject-tokens`
        expect(await preflight(url, console)).to.deep.equal([405, null])
        const { status, headers } = await issue(base, base, undefined, { origin: console })
        expect([status, headers.get(allowed)]).to.deep.equal([201, null])
      }))
  })
})

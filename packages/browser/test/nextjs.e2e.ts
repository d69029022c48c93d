import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { freePort, suiteOn } from '../../../test/adapters/servers.ts'
import { bare, type Example, listen } from '../../../test/example-provider/support.ts'
import { application, confidential } from '../../../test/support/clients.ts'
import { type Deployment, deploy } from '../../../test/support/deployment.ts'
import { newFolder } from '../../../test/support/folder.ts'
import { launch, type Program } from '../../../test/support/program.ts'
import { REDIS_URL } from '../../../test/support/server-urls.ts'
import { packInto } from '../../../test/support/tarball.ts'
import { browser } from '../../console/test/e2e/support/browser.ts'
import { type Caller, resourceServer } from '../../resource-server/src/index.ts'
import { impersonationUrl } from '../src/index.ts'
import { filesUnder } from './support/document.ts'
import { addSession } from './support/session-cookies.ts'

const run = promisify(execFile)
const EXAMPLE = join(import.meta.dirname, '../../../examples/nextjs')
const INSTALLED = join(import.meta.dirname, 'nextjs')
const NEXT = 'node_modules/next/dist/bin/next'
const RESOURCE = 'https://orders.example.com/v1'
const SETTINGS = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }

const suite = await suiteOn('Redis')

suite('examples/nextjs, built, in Chromium', function () {
  this.timeout(300_000)
  let project: string
  let server: Program | undefined
  let support: Example
  let api: Example
  let deployment: Deployment
  let origin: string

  before(async () => {
    const PORT = String(await freePort())
    origin = `http://localhost:${PORT}`
    support = await backOffice()
    deployment = await provider()
    api = await orders()
    project = await makeProject()
    await run(process.execPath, [NEXT, 'build'], { cwd: project, env: bare(SETTINGS) })
    const environment = {
      ...SETTINGS,
      PORT,
      ORIGIN: origin,
      ISSUER: deployment.issuer,
      CLIENT_ID: 'shop',
      CLIENT_SECRET: 'shop-secret',
      BACK_OFFICE: support.url,
      API: api.url,
      RESOURCE,
      REDIS_URL,
    }
    server = await launch([process.execPath, NEXT, 'start'], environment, project)
  })
  after(async () => {
    await server?.stop()
    for (const each of [support, api, deployment]) await each?.[Symbol.asyncDispose]()
  })

  /** The folder as a reader copies it, with what `npm install` would install. */
  async function makeProject(): Promise<string> {
    const folder = newFolder()
    const to = join(folder, 'shop')
    await cp(EXAMPLE, to, { recursive: true })
    await mkdir(join(to, 'app/live'))
    for (const [path, text] of await inTheBrowser()) await writeFile(join(to, path), here(text))
    await run('cp', ['-a', join(INSTALLED, 'node_modules'), to])
    const ours = join(to, 'node_modules/oidc-provider-impersonation-browser')
    await mkdir(ours)
    const { path } = await packInto(folder, 'packages/browser')
    await run('tar', ['-xzf', path, '--strip-components=1', '-C', ours])
    return to
  }

  /** A page that calls the API: the component for React, as docs/server-rendered.md says. */
  async function inTheBrowser(): Promise<[path: string, text: string][]> {
    const page = await readFile(
      new URL('../../../docs/server-rendered.md', import.meta.url),
      'utf8',
    )
    const [, module = ''] = /^```ts\n\/\/ instrumentation-client.ts\n(.*?)^```$/ms.exec(page) ?? []
    const component = String((await filesUnder('React')).get('main.jsx'))
      .replace(/^(?=\/\/ main)/, "'use client'\n")
      .replace("import './impersonation.js'\n", '')
      .replace("import { createRoot } from 'react-dom/client'\n", '')
      .replace(/^createRoot.*/ms, 'export default Shop\n')
    return [
      ['instrumentation-client.ts', module],
      ['app/live/page.jsx', component],
    ]
  }

  /** The addresses of a document, as they are here. */
  function here(text: string): string {
    return text
      .replaceAll('https://shop.example.com', origin)
      .replaceAll('https://id.example.com/oidc', deployment.issuer)
      .replaceAll("resource: 'https://api.example.com/orders'", `resource: '${RESOURCE}'`)
      .replaceAll('https://api.example.com', api.url)
      .replace("scope: 'orders:read',", `$& origins: ['${api.url}'],`)
  }

  function provider(): Promise<Deployment> {
    return deploy({
      clients: [
        {
          ...confidential,
          client_id: 'shop',
          client_secret: 'shop-secret',
          redirect_uris: [`${origin}/impersonation`],
        },
        {
          ...application,
          client_id: 'shop-in-the-browser',
          redirect_uris: [`${origin}/live`],
        },
      ],
      configuration: { clientBasedCORS: () => true },
      resources: {
        [RESOURCE]: 'orders:read',
      },
      impersonation: {
        enabled: true,
        ending: { enabled: true },
        applications: ['shop', 'shop-in-the-browser'],
        managementApi: { requireBinding: ['mayAct'] },
        getCustomJwtClaims: async ({ context }) => {
          const { ticketId } = context.grant.subjectTokenContext ?? {}
          return { impersonation_context: { ticket_id: ticketId } }
        },
      },
    })
  }

  /** The support console, on another site than the shop: a form with what is in the query. */
  async function backOffice(): Promise<Example> {
    const site = await listen((request, response) => {
      const { search } = new URL(request.url ?? '/', 'http://127.0.0.1')
      response.setHeader('content-type', 'text/html')
      // The shop and the provider: redirects of a form count, too.
      response.setHeader('content-security-policy', `form-action ${origin} http://127.0.0.1:*`)
      response.end(`<!doctype html><title>Support</title><form method="post" action="${origin}/impersonation">
<input type="hidden" name="impersonation" value="${search.slice(1)}"><button>Open the shop</button></form>`)
    })
    return { ...site, url: site.url.replace('localhost', '127.0.0.1') }
  }

  function orders(): Promise<Example> {
    const guard = resourceServer({ issuer: deployment.issuer, audience: RESOURCE })
    return listen((request: IncomingMessage & { caller?: Caller }, response) => {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', 'authorization')
      if (request.method === 'OPTIONS') return void response.end()
      guard.connect()(request, response, () => {
        const { caller } = request
        response.end(JSON.stringify([`beans of ${caller?.userId}, seen by ${caller?.actor?.sub}`]))
      })
    })
  }

  /** A page of a browser in which olivia is signed in at the provider. What it logs as an error counts. */
  async function operator(): Promise<{ page: Page; errors: string[] } & AsyncDisposable> {
    const context = await (await browser()).newContext()
    context.setDefaultTimeout(15_000)
    await addSession(context, deployment)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(error.message))
    return { page, errors, [Symbol.asyncDispose]: () => context.close() }
  }

  const subjectToken = (clientId = 'shop') =>
    deployment.subjectToken({
      mayAct: { sub: 'olivia', clientId },
      context: { ticketId: 'SUP-123' },
    })

  async function act(page: Page): Promise<void> {
    await page.goto(`${support.url}/?${await subjectToken()}`)
    await page.getByRole('button', { name: 'Open the shop' }).click()
    await page.getByText('beans of alice, seen by olivia').waitFor()
  }

  // All of them: `issuedAt` is in seconds, so that it does not tell which one is the newest.
  const endElsewhere = () => deployment.endAll()

  const banner = (page: Page) => page.getByRole('region', { name: 'olivia acts as alice' })
  const over = (page: Page) => page.getByRole('alert').filter({ hasText: 'ended' })

  it('needs what its package.json names, and nothing else', async () => {
    const read = async (folder: string) =>
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const { dependencies, devDependencies } = await read(EXAMPLE)
    const { 'oidc-provider-impersonation-browser': ours, ...others } = dependencies
    const installed = await read(INSTALLED)
    expect(others).to.deep.equal(installed.dependencies)
    expect(devDependencies).to.deep.equal(installed.devDependencies)
    const { version } = await read(join(import.meta.dirname, '..'))
    expect(ours).to.equal(`^${version}`)
  })

  it('shows the customer’s orders under a banner, without a token, until End', async () => {
    await using person = await operator()
    const { page, errors } = person
    const bodies: Promise<string>[] = []
    page.on('response', (answer) => {
      if (answer.url().startsWith(origin)) bodies.push(answer.text().catch(() => ''))
    })
    await act(page)
    await banner(page).getByText('SUP-123').waitFor()
    await banner(page)
      .getByText(/^Until \d\d:\d\d UTC$/)
      .waitFor()
    // A second look, which is an answer for React and not a page.
    await page.waitForResponse((answer) => answer.url().includes('_rsc'))
    const [cookie, ...more] = await page.context().cookies(origin)
    expect(more).to.deep.equal([])
    expect(cookie).to.include({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
    const seen = `${(await Promise.all(bodies)).join('\n')}\n${JSON.stringify(cookie)}`
    expect(seen).to.include('beans of alice')
    expect(seen, 'a JWT').to.not.match(/eyJ[\w-]{10,}\.eyJ/)
    await page.reload()
    await banner(page).getByRole('button', { name: 'End' }).click()
    await page.getByText('Acting has ended').waitFor()
    await page.goto(origin)
    await page.getByText('Sign in.').waitFor()
    expect(await page.context().cookies(origin)).to.deep.equal([])
    expect(errors).to.deep.equal([])
    // A sign-out ends it, too.
    await act(page)
    await page.evaluate(() => fetch('/sign-out', { method: 'POST' }))
    await page.goto(origin)
    await page.getByText('Sign in.').waitFor()
    const { items } = await deployment.provider.impersonation.list({ state: 'active' })
    expect(items).to.deep.equal([])
  })

  it('shows within seconds that it was ended elsewhere', async () => {
    await using person = await operator()
    const { page } = person
    await act(page)
    await endElsewhere()
    await over(page).waitFor()
    expect(await page.getByText('beans of alice').count()).to.equal(0)
  })

  it('acts in a page that loads its data in the browser, without a fault while it hydrates', async () => {
    await using person = await operator()
    const { page, errors } = person
    const token = await subjectToken('shop-in-the-browser')
    const link = impersonationUrl(`${origin}/live`, {
      subjectToken: token,
      actor: 'olivia',
      expiresAtMs: Date.now() + 60_000,
    })
    await page.goto(link)
    await page.getByText('beans of alice, seen by olivia').waitFor()
    expect(page.url()).to.equal(`${origin}/live`)
    expect(errors).to.deep.equal([])
    await page.getByRole('region', { name: 'olivia acts as alice' }).waitFor()
    await endElsewhere()
    await page.getByRole('dialog', { name: 'You no longer act as alice' }).waitFor()
    expect(await page.getByText('beans of alice').count()).to.equal(0)
  })

  it('has no secret in what browsers load', async () => {
    const folder = join(project, '.next/static')
    const names = await readdir(folder, { recursive: true })
    const scripts = names.filter((name) => name.endsWith('.js'))
    expect(scripts).to.not.be.empty
    for (const name of scripts) {
      const text = await readFile(join(folder, name), 'utf8')
      expect(text, name).to.not.match(/CLIENT_SECRET|shop-secret/)
    }
  })
})

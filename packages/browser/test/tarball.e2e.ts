import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { BrowserContext } from 'playwright-core'
import { type LaunchedExample, launchExample } from '../../../test/e2e/support/server.ts'
import { openShop, signInAtProvider } from '../../../test/e2e/support/shop.ts'
import { bare } from '../../../test/example-provider/support.ts'
import { packInto } from '../../../test/support/tarball.ts'
import { browser } from '../../console/test/e2e/support/browser.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Serves the shop of the example, once it is told where the provider and the API are. */
const SERVER = `
import { createServer } from 'node:http'
import { createShop } from './example-provider/shop/server.ts'

const server = createServer().listen(0, '127.0.0.1', () => process.send(server.address()))
process.on('message', async (places) => {
  server.on('request', (await createShop(places)).callback())
  process.send(import.meta.resolve('oidc-provider-impersonation-browser'))
})
process.on('disconnect', () => process.exit())
`

/** Sends it a form that comes from nowhere. */
const SERVER_SIDE = `
import { createImpersonations, memoryStore } from 'oidc-provider-impersonation-browser/server'

const { accept } = createImpersonations({
  issuer: 'https://id.example.com',
  clientId: 'shop',
  clientSecret: 'secret',
  redirectUri: 'https://shop.example.com/impersonation',
  resource: 'https://api.example.com',
  scope: 'orders:read',
  from: 'https://support.example.com',
  store: memoryStore(),
})
const form = new Request('https://shop.example.com/impersonation', { method: 'POST' })
const answer = await accept(form)
console.log(answer.status, await answer.text())
`

describe('the shop with the kit from the packed tarball', function () {
  this.timeout(180_000)
  let project: string
  let server: ChildProcess
  let example: LaunchedExample
  let shopUrl: string
  let kit: unknown
  let context: BrowserContext

  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'impersonation-shop-'))
    await makeProject()
    // Without the condition by which the example finds the sources.
    server = spawn(process.execPath, ['server.ts'], {
      cwd: project,
      env: bare({}),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ port }] = await once(server, 'message')
    shopUrl = `http://127.0.0.1:${port}`
    example = await launchExample({ SHOP_URL: shopUrl, SHOP_PORT: '0' })
    server.send({
      issuer: `${example.url}/oidc`,
      orders: `${example.url}/orders`,
      console: `${example.url}/console`,
    })
    ;[kit] = await once(server, 'message')
    context = await (await browser()).newContext({ baseURL: example.url })
    context.setDefaultTimeout(8000)
  })
  after(async () => {
    await context?.close()
    await example?.[Symbol.asyncDispose]()
    if (server?.exitCode === null) {
      server.disconnect()
      await once(server, 'exit')
    }
    await rm(project, { recursive: true, force: true })
  })

  /** A project in which the packages are installed, and the files of the shop. */
  async function makeProject(): Promise<void> {
    const modules = join(project, 'node_modules')
    const installed = join(modules, 'oidc-provider-impersonation-browser')
    await mkdir(installed, { recursive: true })
    const { path } = await packInto(project, 'packages/browser')
    await promisify(execFile)('tar', ['-xzf', path, '--strip-components=1', '-C', installed])
    await cp(join(ROOT, 'node_modules/oauth4webapi'), join(modules, 'oauth4webapi'), {
      recursive: true,
    })
    for (const name of ['esbuild', 'koa', 'koa-helmet']) {
      await symlink(join(ROOT, 'node_modules', name), join(modules, name))
    }
    const shop = 'example-provider/shop'
    await cp(join(ROOT, shop), join(project, shop), { recursive: true })
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
    await writeFile(join(project, 'server.ts'), SERVER)
  }

  it('is another site than the provider, with no source of the kit', () => {
    expect(new URL(example.url).hostname).to.equal('localhost')
    expect(String(kit)).to.match(
      /\/impersonation-shop-\w+\/node_modules\/oidc-provider-impersonation-browser\/dist\/index\.js$/,
    )
  })

  it('has the part for servers, which runs in Node.js', async () => {
    const options = { cwd: project, env: bare({}) }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', SERVER_SIDE],
      options,
    )
    expect(stdout).to.match(/^403 /).and.to.include('This page is opened from the back office.')
  })

  it('lets olivia act as alice, from the link to the end', async () => {
    const loaded: string[] = []
    context.on('request', (request) => loaded.push(request.url()))
    await signInAtProvider(context, example)
    const shop = await openShop(context, example)
    const banner = shop.locator('impersonation-banner')
    await banner.getByText('olivia').waitFor()
    const order = shop.locator('[data-order="A-1002"]')
    await order.getByLabel('Delivery note').fill('Ring twice')
    await order.getByRole('button', { name: 'Save note' }).click()
    await order.getByText('Changed by support (Olivia Reyes).').waitFor()
    await banner.getByRole('button', { name: 'End' }).click()
    await shop.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()

    const scripts = loaded.filter((url) => url.startsWith(shopUrl) && url.endsWith('.js'))
    const names = scripts.map((url) => basename(url).replace(/(?:-[A-Z0-9]{8})+\.js$/, ''))
    expect(names, 'loaded when they are needed').to.include.members([
      'acting-page',
      'banner-element',
    ])
  })
})

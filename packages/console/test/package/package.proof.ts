import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Client } from 'pg'
import { freePort, POSTGRES_URL, skipWithout } from '../../../../test/adapters/servers.ts'
import { compile } from '../../../../test/support/compile.ts'
import { launch } from '../../../../test/support/program.ts'
import { signIn } from '../../../../test/support/sign-in.ts'
import { findBrokenLinks, install, packInto } from '../../../../test/support/tarball.ts'
import { administer } from '../ledger/recording/soak-stores.ts'
import { expectStatus } from '../support/expect-answer.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)

const NEST = ['@nestjs/common@11', '@nestjs/core@11', '@nestjs/platform-express@11']
const TYPES = ['@types/oidc-provider@9', '@types/koa@3', '@types/node@24']
const PACKAGES = [
  'oidc-provider@9',
  'koa@3',
  'koa-mount@4',
  'express@5',
  'pg@8',
  'reflect-metadata',
  'rxjs',
]

describe('the console as users get it', function () {
  this.timeout(240_000)
  let folder: string
  let project: string
  let tarball: string
  let files: readonly string[]
  let broken: readonly string[]
  let readme: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-console-'))
    project = await mkdtemp(join(folder, 'project-'))
    readme = await readFile(join(ROOT, 'packages/console/README.md'), 'utf8')
    const pages = ['docs/console.md', 'docs/audit.md'].map((page) =>
      readFile(join(ROOT, page), 'utf8'),
    )
    const documents = [readme, ...(await Promise.all(pages))].join('\n')
    const plugin = await packInto(folder)
    const verifier = await packInto(folder, 'packages/verify')
    const kit = await packInto(folder, 'packages/browser')
    const packed = await packInto(folder, 'packages/console')
    ;({ path: tarball, files } = packed)
    broken = await findBrokenLinks(packed)
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
    const own = [plugin.path, verifier.path, kit.path, tarball]
    await install(project, [...own, ...PACKAGES, ...TYPES, ...NEST])
    for (const [, name = '', code = ''] of documents.matchAll(
      /```js\n\/\/ (\w+\.mjs)\n(.*?)```/gs,
    )) {
      await writeFile(join(project, name), code)
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has nothing in it that a user does not need', () => {
    const others = files.filter(
      (path) =>
        !/^dist\/(?!browser\/).*\.(js|d\.ts)$|^dist\/web\/words\/(?:de|en)\.json$|^dist\/ledger\/stores\/(?:postgres|sqlite)\/[\w-]+\.sql$|^dist\/browser\/(page\.js|icon\.svg|style\.css|LICENSES\.txt)$|^images\/audit(?:-dark)?\.webp$/.test(
          path,
        ),
    )
    expect(others.sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json'])
  })

  it('has all that its README links to, or links to the web', () => {
    expect(broken).to.deep.equal([])
  })

  it('publint finds nothing', async () => {
    const { stdout } = await run(bin('publint'), ['--strict', tarball], { cwd: ROOT })
    expect(stdout).to.include('All good!')
  })

  it('are the types wrong? No', async () => {
    await run(bin('attw'), [tarball, '--ignore-rules', 'cjs-resolves-to-esm'], { cwd: ROOT })
  })

  it('mounts in a deployment by about twenty lines', () => {
    const [, code = ''] = /```js\n\/\/ koa\.mjs\n(.*?)```/s.exec(readme) ?? []
    expect(code.trim().split('\n').length).to.be.within(10, 24)
  })

  it('compiles for a deployment that names its types, strictly, without skipLibCheck for it', async () => {
    const deployment = join(import.meta.dirname, 'typed-deployment.mts')
    await copyFile(deployment, join(project, 'typed-deployment.mts'))
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
    const target = ['--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const found = await compile([...strict, ...target, 'typed-deployment.mts'], { cwd: project })
    const errors = found
      .split('\n')
      .filter((line) => /^typed|^node_modules\/oidc-provider-imp/.test(line))
    expect(errors).to.deep.equal([])
  })

  it('needs no esbuild and no bundler where it is installed', async () => {
    const { stdout } = await run('npm', ['ls', 'esbuild', '--json'], { cwd: project }).catch(
      (failure: { stdout: string }) => failure,
    )
    expect(JSON.parse(stdout)).not.to.have.property('dependencies')
  })

  describe('in production.mjs of docs/console.md', () => {
    const database = `console_${randomUUID().replaceAll('-', '')}`
    const postgres = new URL(POSTGRES_URL)
    postgres.pathname = `/${database}`
    let environment: Record<string, string>
    let created = false
    let url: string

    before(async function () {
      await skipWithout(this, 'PostgreSQL')
      await administer(`CREATE DATABASE ${database}`)
      created = true
      const PORT = String(await freePort())
      url = `http://localhost:${PORT}`
      environment = { PORT, BASE_URL: url, POSTGRES_URL: postgres.href }
      // The machine client of the README's provider is the one sender that its provider knows.
      const file = join(project, 'production.mjs')
      const code = await readFile(file, 'utf8')
      await writeFile(file, code.replace("'orders-api'", "'orders-api', machine.clientId"))
    })
    after(async () => {
      if (created) await administer(`DROP DATABASE ${database} WITH (FORCE)`)
    })

    it('records what an API elsewhere tells, once, ends at SIGTERM while a page listens, and keeps a seal', async () => {
      await using program = await launch('production.mjs', environment, project)
      const use = {
        ...{ useId: randomUUID(), timeMs: Date.now(), id: 'x'.repeat(43), userId: 'alice' },
        ...{ actor: { sub: 'olivia' }, client: 'shop', audience: 'https://shop.example.com/api' },
        ...{ method: 'GET', path: '/orders', status: 200 },
      }
      const tell = (token: string) =>
        fetch(`${url}/uses`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify([use]),
        })
      const answer = await fetch(`${url}/oidc/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('support-machine:change-me')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
      const { access_token: machine } = (await answer.json()) as { access_token: string }
      const operator = await operatorAt(url)
      expectStatus(await tell(operator), 401, 'a token of a person')
      expectStatus(await tell(machine), 204, program.log)
      expectStatus(await tell(machine), 204, 'again')
      const headers = { authorization: `Bearer ${operator}` }
      const audit = await (await fetch(`${url}/console/audit`, { headers })).text()
      expect(JSON.parse(audit).rows[0], audit).to.include({ id: use.id, reads: 1 })
      const stream = await fetch(`${url}/console/stream`, { headers })
      expectStatus(stream, 200)
      const stopped = program.stop()
      await stream.text()
      expect(await stopped, program.log).to.equal(0)
      const kept = 'INSERT INTO impersonation_audit_seal (number, last, jws, mac) VALUES '
      const client = new Client({ connectionString: postgres.href })
      await client.connect()
      await client.query(`${kept} (98, 98, 'a.b.old', ''), (99, 99, 'a.b.new', '')`)
      await client.end()
      const env = { PATH: process.env.PATH, ...environment }
      const { stdout } = await run(process.execPath, ['seals.mjs'], { cwd: project, env })
      expect(stdout).to.match(/a\.b\.old\na\.b\.new\n$/)
    })
  })

  for (const framework of ['koa', 'express', 'nest']) {
    it(`works in ${framework}.mjs of the documents: olivia signs in, finds alice, and gets a subject token`, async () => {
      const PORT = String(await freePort())
      const url = `http://localhost:${PORT}`
      await using program = await launch(`${framework}.mjs`, { PORT, BASE_URL: url }, project)
      const page = await (
        await fetch(`${url}/console`, { headers: { accept: 'text/html' } })
      ).text()
      const [, style = ''] = /href="(\/console\/assets\/style[^"]+)"/.exec(page) ?? []
      expect((await fetch(url + style)).headers.get('cache-control')).to.include('immutable')

      const token = await operatorAt(url)
      const ask = async (path: string, init: RequestInit = {}) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const response = await fetch(`${url}/console${path}`, { ...init, headers })
        return { status: response.status, body: JSON.parse((await response.text()) || '{}') }
      }
      expect((await ask('/me')).body).to.include({ id: 'olivia', role: 'operator' })
      const found = await ask('/customers?q=alice')
      expect(found.body.customers[0], program.log).to.include({ id: 'alice', name: 'Alice Ng' })
      const act = {
        userId: 'alice',
        ticketId: 'SUP-1',
        reason: 'She asked where her order is',
        application: 'shop',
        access: 'read',
      }
      const handOver = await ask('/impersonations', { method: 'POST', body: JSON.stringify(act) })
      expect(handOver.status, JSON.stringify(handOver.body) + program.log).to.equal(201)
      expect(handOver.body.url).to.equal('https://shop.example.com/')
      expect(handOver.body.subjectToken).to.match(/^[\w-]{20,}$/)
      const audit = await ask('/audit')
      expect(audit.body.rows?.[0], JSON.stringify(audit)).to.deep.include({
        ticket: 'SUP-1',
        outcome: 'waiting',
      })
      expect(audit.body.rows[0].operator).to.deep.include({ id: 'olivia', name: 'Olivia Okafor' })
      // Other requests go on to the deployment.
      expectStatus(await fetch(`${url}/oidc/jwks`), 200)
      expectStatus(await fetch(`${url}/elsewhere`), 404)
    })
  }
})

/** The access token of olivia, who signs in on the pages of oidc-provider for development. */
async function operatorAt(url: string) {
  const how = { clientId: 'support-console', redirectUri: `${url}/console/callback` }
  return (await signIn({ issuer: `${url}/oidc` }, 'olivia', how)).access_token
}

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules/.bin', name)

describe('the package as users get it', function () {
  this.timeout(180_000)
  let folder: string
  let tarball: string
  let files: string[]
  let readme: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-package-'))
    readme = await readFile(join(root, 'README.md'), 'utf8')
    const pack = ['pack', '--json', '--pack-destination', folder]
    const { stdout } = await run('npm', pack, { cwd: root })
    const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))
    const [packed] = Array.isArray(report) ? report : Object.values(report)
    tarball = join(folder, packed.filename)
    files = packed.files.map(({ path }: { path: string }) => path)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has nothing in it that a user does not need', () => {
    const others = files.filter((path) => !/^dist\/.*\.(js|d\.ts)$/.test(path))
    expect(others.sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json'])
  })

  it('has run-time dependencies on @koa/router, jose, koa-body, and nothing else', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(Object.keys(manifest.dependencies)).to.deep.equal(['@koa/router', 'jose', 'koa-body'])
    expect(manifest.peerDependencies).to.include({ 'oidc-provider': '>=9.12.2 <10' })
    expect(manifest.peerDependencies).to.have.property('koa')
  })

  it('publint finds nothing', async () => {
    const { stdout } = await run(bin('publint'), ['--strict', tarball], { cwd: root })
    expect(stdout).to.include('All good!')
  })

  it('are the types wrong? No', async () => {
    await run(bin('attw'), [tarball, '--profile', 'esm-only'], { cwd: root })
  })

  describe('in an empty project', () => {
    let project: string
    let snippet: string

    before(async () => {
      project = await mkdtemp(join(folder, 'project-'))
      await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
      const [, command = ''] = /```sh\nnpm install (.+)\n```/.exec(readme) ?? []
      const packages = command
        .split(' ')
        .map((name) => (name === 'oidc-provider-impersonation' ? tarball : name))
      expect(packages).to.have.length.greaterThan(2)
      const types = ['@types/oidc-provider', '@types/koa', '@types/koa-mount', '@types/node@24']
      await run(
        'npm',
        ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages, ...types],
        {
          cwd: project,
        },
      )
      const snippets = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
      expect(snippets, 'one snippet in the README: test the others too').to.have.lengthOf(1)
      snippet = snippets[0] ?? ''
    })

    it("the README's quick start compiles, strictly, without skipLibCheck for this package", async () => {
      await writeFile(join(project, 'quick-start.ts'), snippet)
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
      const tsc = [
        ...strict,
        '--noEmit',
        '--module',
        'nodenext',
        '--target',
        'es2024',
        '--types',
        'node',
      ]
      const result = await run(bin('tsc'), [...tsc, 'quick-start.ts'], { cwd: project }).catch(
        (failure: { stdout: string }) => failure,
      )
      const errors = result.stdout
        .split('\n')
        .filter((line) => /quick-start|impersonation/.test(line))
      expect(errors).to.deep.equal([])
    })

    it("the README's quick start runs, and impersonates", async () => {
      await writeFile(join(project, 'quick-start.js'), snippet)
      const port = await freePort()
      const base = `http://localhost:${port}`
      const server = spawn(process.execPath, ['quick-start.js'], {
        cwd: project,
        env: { ...process.env, PORT: String(port), BASE_URL: base },
        stdio: 'ignore',
      })
      try {
        await reachable(`${base}/oidc/.well-known/openid-configuration`)
        const form = async (body: Record<string, string>, headers = {}) => {
          const init = { method: 'POST', body: new URLSearchParams(body), headers }
          const response = await fetch(`${base}/oidc/token`, init)
          // biome-ignore lint/suspicious/noExplicitAny: a token response, read by the caller.
          return (await response.json()) as any
        }
        const { access_token: m2m } = await form(
          { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
          { authorization: `Basic ${btoa('backend:backend-secret')}` },
        )
        const issued = await fetch(`${base}/api/subject-tokens`, {
          method: 'POST',
          headers: { authorization: `Bearer ${m2m}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            userId: 'alice',
            context: { ticketId: 'SUP-1', reason: 'billing', supportEngineerId: 'olivia' },
          }),
        })
        expect(issued.status).to.equal(201)
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        const { subjectToken }: any = await issued.json()
        const { access_token } = await form({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: 'console',
          subject_token: subjectToken,
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          resource: 'https://orders.example.com',
          scope: 'orders:read',
        })
        expect(decodeJwt(access_token)).to.deep.include({
          sub: 'alice',
          aud: 'https://orders.example.com',
          impersonation_context: {
            ticket_id: 'SUP-1',
            reason: 'billing',
            support_engineer: 'olivia',
          },
        })
      } finally {
        server.kill()
        await once(server, 'exit')
      }
    })
  })
})

describe('the README', () => {
  it('has fewer than 900 words, and names every option', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    expect(readme.split(/\s+/).length).to.be.lessThan(900)
    const { resolveOptions } = await import('../src/options-defaults.ts')
    const defaults = resolveOptions({})
    const paths = (value: unknown, path: string): string[] =>
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).length > 0 &&
      !Array.isArray(value)
        ? Object.entries(value).flatMap(([key, member]) => paths(member, `${path}.${key}`))
        : [path.slice(1)]
    const all = paths(defaults, '')
    expect(all).to.have.length.greaterThan(20)
    for (const path of all) expect(readme, path).to.include(`| \`${path}\` |`)
  })

  it('links to files that are there', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path)
    expect(links).to.include('docs/adapters.md')
    for (const path of links) await readFile(join(root, path))
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

async function reachable(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer`)
}

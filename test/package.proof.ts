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
import manifest from '../package.json' with { type: 'json' }
import { readmeBlocks } from '../scripts/readme.ts'
import { compile } from './support/compile.ts'
import { signInAt } from './support/development-sign-in.ts'
import { findBrokenLinks, install, packInto } from './support/tarball.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules/.bin', name)

describe('the package as users get it', function () {
  this.timeout(180_000)
  let folder: string
  let tarball: string
  let files: readonly string[]
  let broken: readonly string[]
  let source: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-package-'))
    const packed = await packInto(folder)
    ;({ path: tarball, files, source } = packed)
    broken = await findBrokenLinks(packed)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has nothing in it that a user does not need', () => {
    const others = files.filter(
      (path) => !/^(dist\/.*\.(js|d\.ts)|docs\/.*\.(md|yaml)|examples\/.*)$/.test(path),
    )
    expect(others.sort()).to.deep.equal([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'package.json',
    ])
  })

  it('has all that its documents link to, or links to the web', () => {
    expect(broken).to.deep.equal([])
  })

  it('has the documents that its error messages name', async () => {
    const named = new Set<string>()
    for (const path of files.filter((file) => file.endsWith('.js'))) {
      const code = await readFile(join(source, path), 'utf8')
      const paths = code.matchAll(/\boidc-provider-impersonation\/(docs\/[\w-]+\.md)/g)
      for (const [, document = ''] of paths) named.add(document)
    }
    expect([...named]).to.include('docs/adapters.md')
    expect(files).to.include.members([...named])
  })

  it('has run-time dependencies on @koa/router, jose, koa-body, and nothing else', async () => {
    expect(Object.keys(manifest.dependencies)).to.deep.equal(['@koa/router', 'jose', 'koa-body'])
    expect(manifest.peerDependencies).to.include({ 'oidc-provider': '>=9.12.2 <10' })
    expect(manifest.peerDependencies).to.have.property('koa')
  })

  it('publint finds nothing', async () => {
    const { stdout } = await run(bin('publint'), ['--strict', tarball], { cwd: root })
    expect(stdout).to.include('All good!')
  })

  it('are the types wrong? No', async () => {
    // CommonJS projects load an ES module by require(): every supported Node can.
    await run(bin('attw'), [tarball, '--ignore-rules', 'cjs-resolves-to-esm'], { cwd: root })
  })

  describe('with an oidc-provider that is too old', () => {
    let project: string

    before(async () => {
      project = await mkdtemp(join(folder, 'too-old-'))
      await writeFile(join(project, 'package.json'), '{"private":true}')
    })

    // Before 9.12.0 without the module that the grant needs, before 9.12.2 without all of its names.
    for (const version of ['9.0.0', '9.12.1']) {
      it(`names the version that is needed, with ${version}`, async () => {
        const outOfRange = '--legacy-peer-deps'
        await install(project, [tarball, `oidc-provider@${version}`, 'koa', outOfRange])
        for (const load of [
          `import('oidc-provider-impersonation')`,
          `require('oidc-provider-impersonation')`,
        ]) {
          const failure = await run(process.execPath, ['--eval', load], { cwd: project }).then(
            () => ({ stderr: 'it started' }),
            (error: { stderr: string }) => error,
          )
          const message = failure.stderr.split('\n').filter((line) => /^\w*Error/.test(line))
          expect(message.join(), load).to.include('needs-oidc-provider-9.12.2-or-later')
        }
      })
    }

    it('says the oldest version of the range', async () => {
      const [, oldest] = /^>=(\S+)/.exec(manifest.peerDependencies['oidc-provider']) ?? []
      expect(files).to.include(`dist/host/needs-oidc-provider-${oldest}-or-later.js`)
    })
  })

  describe('in an empty project', () => {
    let project: string
    let snippet: string

    before(async () => {
      project = await mkdtemp(join(folder, 'project-'))
      // What `npm init -y` of npm 11 writes.
      await writeFile(join(project, 'package.json'), '{"private":true,"type":"commonjs"}')
      const packages = readmeBlocks().packages.map((name) =>
        name === 'oidc-provider-impersonation' ? tarball : name,
      )
      expect(packages).to.have.length.greaterThan(2)
      const types = ['@types/oidc-provider', '@types/koa', '@types/koa-mount', '@types/node@24']
      await install(project, [...packages, ...types])
      snippet = readmeBlocks().after
    })

    it("the README's quick start compiles, strictly, without skipLibCheck for this package", async () => {
      await writeFile(join(project, 'server.mts'), snippet)
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
      const found = await compile([...tsc, 'server.mts'], { cwd: project })
      const errors = found.split('\n').filter((line) => /^server|impersonation/.test(line))
      expect(errors).to.deep.equal([])
    })

    it("the README's quick start runs, and impersonates", async () => {
      await writeFile(join(project, 'server.mjs'), snippet)
      const port = await freePort()
      const base = `http://localhost:${port}`
      const server = spawn(process.execPath, ['server.mjs'], {
        cwd: project,
        env: { ...process.env, PORT: String(port), BASE_URL: base },
        stdio: 'ignore',
      })
      try {
        await reachable(`${base}/oidc/.well-known/openid-configuration`)
        // What the README has a reader paste, at another port.
        const { commands } = readmeBlocks()
        expect(commands).to.include('localhost:3000')
        const here = commands.replaceAll('localhost:3000', `localhost:${port}`)
        const env = { ...process.env, OPERATOR_TOKEN: await signInAt(`${base}/oidc`, 'olivia') }
        const { stdout } = await run('bash', ['-euc', here], { env })
        expect(decodeJwt(JSON.parse(stdout).access_token)).to.deep.include({
          sub: 'alice',
          act: { sub: 'olivia' },
          aud: 'https://shop.example.com/orders',
          impersonation_context: { ticket_id: 'SUP-123', reason: 'Order lost in the post' },
        })
      } finally {
        server.kill()
        await once(server, 'exit')
      }
    })
  })
})

describe('the README', () => {
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

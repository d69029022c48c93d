import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import { createSqliteAudit } from '../packages/console/src/ledger/stores/sqlite/index.ts'
import { history, linesOfExport, signer } from '../packages/console/test/verify/history.ts'
import { freePort, reachable, until } from './adapters/servers.ts'
import { findBrokenLinks, install, packInto, type Tarball } from './support/tarball.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)

interface Alone {
  /** The folder in `packages`. */
  readonly name: string
  /** What its README installs beside it, as files of this repository or by name. */
  readonly beside: readonly string[]
  /** Everything that `npm ls --all` finds then, but for what belongs to `beside`. */
  readonly brings: readonly string[]
  /** Runs the first code block of its README. */
  readonly use: (project: string, block: string) => Promise<void>
}

const PACKAGES: readonly Alone[] = [
  {
    name: 'resource-server',
    beside: [],
    brings: ['jose', 'oidc-provider-impersonation-resource-server'],
    async use(project, block) {
      await writeFile(join(project, 'api.mjs'), block)
      const port = await freePort()
      const api = spawn(process.execPath, ['api.mjs'], {
        cwd: project,
        env: { PATH: process.env.PATH, PORT: String(port) },
        stdio: 'ignore',
      })
      try {
        await until(() => reachable(`http://127.0.0.1:${port}`, port))
        const answer = await fetch(`http://127.0.0.1:${port}/orders`)
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.match(/^Bearer/)
      } finally {
        api.kill()
        await once(api, 'exit')
      }
    },
  },
  {
    name: 'browser',
    beside: ['oauth4webapi'],
    brings: ['oauth4webapi', 'oidc-provider-impersonation-browser'],
    async use(project, block) {
      const file = join(project, 'impersonation.js')
      await writeFile(file, block)
      const options = { bundle: true, write: false, format: 'esm', logLevel: 'silent' } as const
      const { outputFiles, warnings } = await build({ entryPoints: [file], ...options })
      expect(warnings).to.deep.equal([])
      expect(outputFiles[0]?.text).to.include('impersonation-banner')
    },
  },
  {
    name: 'verify',
    beside: [],
    brings: ['jose', 'oidc-provider-impersonation-verify'],
    async use(project) {
      const { jwk, sign } = await signer()
      const store = createSqliteAudit({ file: ':memory:' })
      await store.open?.()
      await history(store, sign)
      const lines = await linesOfExport(store, sign)
      await writeFile(join(project, 'entries.jsonl'), lines.map((line) => `${line}\n`).join(''))
      await writeFile(join(project, 'jwks.json'), JSON.stringify({ keys: [jwk] }))
      const command = join(project, 'node_modules/.bin/oidc-provider-impersonation-verify')
      const verify = (file: string) => run(command, [file, '--jwks', 'jwks.json'], { cwd: project })
      expect((await verify('entries.jsonl')).stdout).to.include('whole')
      const changed = lines.map((line) => line.replace('SUP-1', 'SUP-2'))
      await writeFile(join(project, 'changed.jsonl'), changed.map((line) => `${line}\n`).join(''))
      const failure = await verify('changed.jsonl').catch((error: { code: number }) => error)
      expect(failure).to.include({ code: 1 })
    },
  },
  {
    name: 'testing',
    beside: ['.', 'oidc-provider', 'koa'],
    brings: ['oidc-provider-impersonation-testing'],
    async use(project, block) {
      await writeFile(join(project, 'look.mjs'), block)
      const { stdout } = await run(process.execPath, ['look.mjs'], { cwd: project })
      expect(stdout.trim()).to.equal("{ sub: 'olivia' }")
    },
  },
]

describe('a package as users get it', function () {
  this.timeout(180_000)
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-packages-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const { name, beside, brings, use } of PACKAGES) {
    describe(name, () => {
      let packed: Tarball
      let project: string

      before(async () => {
        packed = await packInto(folder, `packages/${name}`)
        project = join(folder, `project-${name}`)
        await mkdir(project)
        await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
        const others = await Promise.all(
          beside.map(async (each) => (each === '.' ? (await packInto(folder)).path : each)),
        )
        await install(project, [packed.path, ...others])
      })

      it('has what a user needs, and nothing else', async () => {
        // The sentences of events are JSON, for `verify` and the console.
        const needed = /^dist\/.*\.(?:d\.ts|js)$|^dist\/format\/events\.json$/
        const others = packed.files.filter((file) => !needed.test(file))
        expect([...others].sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json'])
        expect(await findBrokenLinks(packed)).to.deep.equal([])
      })

      it('brings nothing along that it does not need', async () => {
        const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: project })
        const found = namesIn(JSON.parse(stdout).dependencies)
        if (beside.includes('.')) expect([...found]).to.include.members([...brings])
        else expect([...found].sort()).to.deep.equal(brings)
      })

      it('passes publint and "are the types wrong?"', async () => {
        const { stdout } = await run(bin('publint'), ['--strict', packed.path], { cwd: ROOT })
        expect(stdout).to.include('All good!')
        await run(bin('attw'), [packed.path, '--ignore-rules', 'cjs-resolves-to-esm'], {
          cwd: ROOT,
        })
      })

      it('does what the first block of its README says', async () => {
        const readme = await readFile(join(ROOT, 'packages', name, 'README.md'), 'utf8')
        await use(project, /```js\n(.*?)```/s.exec(readme)?.[1] ?? '')
      })
    })
  }
})

interface Dependencies {
  readonly [name: string]: { readonly version?: string; readonly dependencies?: Dependencies }
}

function namesIn(dependencies: Dependencies = {}): Set<string> {
  const names = Object.entries(dependencies).flatMap(([name, { version, dependencies: inner }]) =>
    // npm lists an optional peer that is not installed, without a version.
    version === undefined ? [] : [name, ...namesIn(inner)],
  )
  return new Set(names)
}

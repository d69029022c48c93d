import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import plugin from '../package.json' with { type: 'json' }
import { createSqliteAudit } from '../packages/console/src/ledger/stores/sqlite/index.ts'
import { signer } from '../packages/console/test/ledger/sealing/seals-of.ts'
import { history, KEEP_FOR, linesOfExport } from '../packages/console/test/verify/history.ts'
import { readmeBlocks } from '../scripts/readme.ts'
import { compile } from './support/compile.ts'
import { newFolder } from './support/folder.ts'
import { launch } from './support/program.ts'
import { findBrokenLinks, install, packInto, type Tarball } from './support/tarball.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)

interface Package {
  /** Its folder. */
  readonly folder: string
  /** The packages that its README installs beside it; `.` is the plugin. */
  readonly beside: readonly string[]
  /** Everything that `npm ls --all` finds; for what stands beside the plugin, its own name. */
  readonly brings: readonly string[]
  /** Its files, beside LICENSE, README.md and package.json. */
  readonly needed?: RegExp
  /** Runs the first block of code of its README in a project. */
  readonly use: (project: string, block: string) => Promise<void>
}

const PACKAGES: readonly Package[] = [
  {
    folder: '.',
    beside: [
      ...readmeBlocks().packages.filter((name) => name !== plugin.name),
      ...['@types/oidc-provider', '@types/koa', '@types/koa-mount', '@types/node@24'],
    ],
    brings: [plugin.name],
    needed:
      /^dist\/.*\.(?:d\.ts|js)$|^docs\/.*\.(?:md|yaml|webp)$|^examples\/|^(?:CHANGELOG|SECURITY)\.md$/,
    // The matrix runs it.
    async use(project) {
      await writeFile(join(project, 'server.mts'), readmeBlocks().after)
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
      const node = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node']
      const found = await compile([...strict, '--noEmit', ...node, 'server.mts'], { cwd: project })
      const errors = found.split('\n').filter((line) => /^server|impersonation/.test(line))
      expect(errors).to.deep.equal([])
    },
  },
  {
    folder: 'packages/resource-server',
    beside: [],
    brings: ['jose', 'oidc-provider-impersonation-resource-server'],
    async use(project, block) {
      await writeFile(join(project, 'api.mjs'), block)
      await using api = await launch('api.mjs', {}, project)
      const answer = await api.ask('GET', '/orders')
      expect(answer.status).to.equal(401)
      expect(answer.headers.get('www-authenticate')).to.match(/^Bearer/)
    },
  },
  {
    folder: 'packages/browser',
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
    folder: 'packages/verify',
    beside: [],
    brings: ['jose', 'oidc-provider-impersonation-verify'],
    // The sentences of events are JSON, for `verify` and the console.
    needed: /^dist\/.*\.(?:d\.ts|js)$|^dist\/format\/events\.json$/,
    async use(project) {
      const { jwk, sign } = await signer()
      const store = createSqliteAudit({ file: ':memory:', keepFor: KEEP_FOR })
      await store.open?.()
      await history(store, sign)
      const lines = await linesOfExport(store, { sign })
      await writeFile(join(project, 'jwks.json'), JSON.stringify({ keys: [jwk] }))
      const command = join(project, 'node_modules/.bin/oidc-provider-impersonation-verify')
      const verify = async (entries: readonly string[]) => {
        await writeFile(join(project, 'entries.jsonl'), `${entries.join('\n')}\n`)
        return run(command, ['entries.jsonl', '--jwks', 'jwks.json'], { cwd: project })
      }
      expect((await verify(lines)).stdout).to.include('whole')
      const changed = lines.map((line) => line.replace('SUP-1', 'SUP-2'))
      const failure = await verify(changed).catch((error: { code: number }) => error)
      expect(failure).to.include({ code: 1 })
    },
  },
  {
    folder: 'packages/testing',
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
  const folder = newFolder()

  async function newProject(name: string, packages: readonly string[], type = 'module') {
    const project = join(folder, `project-${name}`)
    await mkdir(project)
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type }))
    await install(project, packages)
    return project
  }

  for (const { folder: source, beside, brings, needed, use } of PACKAGES) {
    describe(source, () => {
      let packed: Tarball
      let project: string

      before(async () => {
        packed = await packInto(folder, source)
        const others = beside.map(async (each) =>
          each === '.' ? (await packInto(folder)).path : each,
        )
        const packages = [packed.path, ...(await Promise.all(others))]
        // `npm init -y` of npm 11 makes CommonJS projects.
        const type = source === '.' ? 'commonjs' : 'module'
        project = await newProject(source.replaceAll(/\W/g, '-'), packages, type)
      })

      it('has what a user needs, and nothing else', async () => {
        const code = needed ?? /^dist\/.*\.(?:d\.ts|js)$/
        const others = packed.files.filter((file) => !code.test(file))
        expect([...others].sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json'])
        expect(await findBrokenLinks(packed)).to.deep.equal([])
      })

      it('brings nothing along that it does not need', async () => {
        const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: project })
        const found = namesIn(JSON.parse(stdout).dependencies)
        if (beside.includes('.') || source === '.')
          expect([...found]).to.include.members([...brings])
        else expect([...found].sort()).to.deep.equal(brings)
      })

      it('passes publint and "are the types wrong?"', async () => {
        const { stdout } = await run(bin('publint'), ['--strict', packed.path], { cwd: ROOT })
        expect(stdout).to.include('All good!')
        // CommonJS projects load an ES module by require(): every supported Node can.
        const types = [packed.path, '--ignore-rules', 'cjs-resolves-to-esm']
        await run(bin('attw'), types, { cwd: ROOT })
      })

      it('does what the first block of its README says', async () => {
        const readme = await readFile(join(ROOT, source, 'README.md'), 'utf8')
        await use(project, /```js\n(.*?)```/s.exec(readme)?.[1] ?? '')
      })
    })
  }

  it('the plugin has run-time dependencies on @koa/router, jose, koa-body, and nothing else', () => {
    expect(Object.keys(plugin.dependencies)).to.deep.equal(['@koa/router', 'jose', 'koa-body'])
    expect(plugin.peerDependencies).to.include({ 'oidc-provider': '>=9.12.2 <10' })
    expect(plugin.peerDependencies).to.have.property('koa')
  })

  it('the plugin has the documents that its error messages name', async () => {
    const { files, source } = await packInto(folder)
    const named = new Set<string>()
    for (const path of files.filter((file) => file.endsWith('.js'))) {
      const code = await readFile(join(source, path), 'utf8')
      const paths = code.matchAll(/\boidc-provider-impersonation\/(docs\/[\w-]+\.md)/g)
      for (const [, document = ''] of paths) named.add(document)
    }
    expect([...named]).to.include('docs/adapters.md')
    expect(files).to.include.members([...named])
  })

  it('the plugin names the oldest oidc-provider that it needs, if that is too old', async () => {
    const [, oldest] = /^>=(\S+)/.exec(plugin.peerDependencies['oidc-provider']) ?? []
    const { path } = await packInto(folder)
    const outOfRange = '--legacy-peer-deps'
    const project = await newProject('old', [path, 'oidc-provider@9.12.1', 'koa', outOfRange])
    for (const load of ['import', 'require']) {
      const code = `${load}('oidc-provider-impersonation')`
      const started = run(process.execPath, ['--eval', code], { cwd: project })
      const failure = await started.then(() => 'it started', String)
      expect(failure, load).to.include(`needs-oidc-provider-${oldest}-or-later`)
    }
  })
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

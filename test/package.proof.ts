import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import manifest from '../package.json' with { type: 'json' }
import { readmeBlocks } from '../scripts/readme.ts'
import { compile } from './support/compile.ts'
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

  it('names the oldest oidc-provider that it needs, if that is too old', async () => {
    const [, oldest] = /^>=(\S+)/.exec(manifest.peerDependencies['oidc-provider']) ?? []
    const project = await mkdtemp(join(folder, 'too-old-'))
    await writeFile(join(project, 'package.json'), '{"private":true}')
    const outOfRange = '--legacy-peer-deps'
    await install(project, [tarball, 'oidc-provider@9.12.1', 'koa', outOfRange])
    for (const load of ['import', 'require']) {
      const code = `${load}('oidc-provider-impersonation')`
      const started = run(process.execPath, ['--eval', code], { cwd: project })
      const failure = await started.then(() => 'it started', String)
      expect(failure, load).to.include(`needs-oidc-provider-${oldest}-or-later`)
    }
  })

  it('has a README whose quick start compiles, strictly, in a new project', async () => {
    const project = await mkdtemp(join(folder, 'project-'))
    // What `npm init -y` of npm 11 writes.
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"commonjs"}')
    const packages = readmeBlocks().packages.map((name) =>
      name === manifest.name ? tarball : name,
    )
    expect(packages).to.have.length.greaterThan(2)
    const types = ['@types/oidc-provider', '@types/koa', '@types/koa-mount', '@types/node@24']
    await install(project, [...packages, ...types])
    await writeFile(join(project, 'server.mts'), readmeBlocks().after)
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
    const node = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const found = await compile([...strict, '--noEmit', ...node, 'server.mts'], { cwd: project })
    const errors = found.split('\n').filter((line) => /^server|impersonation/.test(line))
    expect(errors).to.deep.equal([])
  })
})

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import ts from 'typescript-5.9'
import { compile } from '../support/compile.ts'
import { packInto } from '../support/tarball.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const SAMPLES = join(import.meta.dirname, 'samples')
const PACKAGES = ['.', 'packages/browser', 'packages/resource-server', 'packages/testing']
/** Where the samples find the packages, with every `moduleResolution`. */
const INSTALLED = join(SAMPLES, 'node_modules')

/** What mistake.ts is there for: a compiler that does not work does not find it. */
const MISTAKE = /^test\/types\/samples\/mistake\.ts\(4,44\): error TS\d+: /

describe('the types of the packed packages', function () {
  this.timeout(180_000)

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-types-'))
    try {
      await rm(INSTALLED, { recursive: true, force: true })
      for (const workspace of PACKAGES) {
        const { path } = await packInto(folder, workspace)
        const manifest = await readFile(join(ROOT, workspace, 'package.json'), 'utf8')
        const installed = join(INSTALLED, JSON.parse(manifest).name)
        await mkdir(installed, { recursive: true })
        await run('tar', ['-xzf', path, '--strip-components=1', '-C', installed])
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  after(() => rm(INSTALLED, { recursive: true, force: true }))

  // The oldest TypeScript that is supported. It looks at the files of the packages and at the
  // samples alone. With all declarations that they import, it takes four times as long.
  for (const resolution of ['nodenext', 'bundler', 'node10']) {
    it(`say what the packages do: TypeScript 5.9, moduleResolution ${resolution}`, () => {
      expect(ts.version).to.match(/^5\.9\./)
      expectOneMistake(checkWith59(projectOf(resolution)))
    })
  }

  // What servers import, in a project that knows no browser.
  it('need no `dom` on a server: TypeScript 5.9', () => {
    expect(checkWith59(projectOf('server'))).to.deep.equal([])
  })

  it('need no `dom` on a server: TypeScript 7', async () => {
    expect(await compile(['--project', projectOf('server')], { cwd: ROOT })).to.equal('')
  })

  // The newest, which has no `moduleResolution: node10`.
  for (const resolution of ['nodenext', 'bundler']) {
    it(`say what the packages do: TypeScript 7, moduleResolution ${resolution}`, async () => {
      expect(await compile(['--version'])).to.match(/^Version 7\./)
      const project = ['--project', projectOf(resolution), '--pretty', 'false']
      const lines = (await compile(project, { cwd: ROOT })).split('\n')
      // What is wrong between two other packages (@types/koa and content-disposition 2) is not for
      // these packages to mend.
      expectOneMistake(lines.filter((line) => /^(?!node_modules\/)\S/.test(line)))
    })
  }
})

function projectOf(resolution: string): string {
  return join(SAMPLES, `tsconfig.${resolution}.json`)
}

function expectOneMistake(lines: readonly string[]): void {
  expect(lines, lines.join('\n')).to.have.length(1)
  expect(lines[0]).to.match(MISTAKE)
}

/** The errors in the files of the packages and in the samples, as `tsc` prints them. */
function checkWith59(project: string): string[] {
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(project, ts.sys.readFile).config,
    ts.sys,
    SAMPLES,
    undefined,
    project,
  )
  const program = ts.createProgram(fileNames, options)
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(SAMPLES))
  const found = ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ])
  const ofAll = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  const host = ts.createCompilerHost(options)
  return [...ofAll, ...found].map((each) =>
    ts.formatDiagnostic(each, { ...host, getCurrentDirectory: () => ROOT }).trimEnd(),
  )
}

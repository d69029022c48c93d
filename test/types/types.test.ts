import { execFile } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { compile } from '../support/compile.ts'
import { newFolder } from '../support/folder.ts'
import { packInto } from '../support/tarball.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const SAMPLES = join(import.meta.dirname, 'samples')
const PACKAGES = ['.', 'packages/browser', 'packages/resource-server', 'packages/testing']
/** The folder in which the samples find the packages, with every `moduleResolution`. */
const INSTALLED = join(SAMPLES, 'node_modules')

/** The reason for mistake.ts: a compiler that does not work does not find it. */
const MISTAKE = /^test\/types\/samples\/mistake\.ts\(4,44\): error TS\d+: /

describe('the types of the packed packages', function () {
  this.timeout(180_000)

  before(async () => {
    const folder = newFolder()
    await rm(INSTALLED, { recursive: true, force: true })
    for (const workspace of PACKAGES) {
      const { path } = await packInto(folder, workspace)
      const manifest = await readFile(join(ROOT, workspace, 'package.json'), 'utf8')
      const installed = join(INSTALLED, JSON.parse(manifest).name)
      await mkdir(installed, { recursive: true })
      await run('tar', ['-xzf', path, '--strip-components=1', '-C', installed])
    }
  })
  after(() => rm(INSTALLED, { recursive: true, force: true }))

  for (const [version, tsc, resolutions] of [
    ['5.9', join(ROOT, 'node_modules/typescript-5.9/bin/tsc'), ['nodenext', 'bundler', 'node10']],
    // It has no `moduleResolution: node10`.
    ['7', join(ROOT, 'node_modules/.bin/tsc'), ['nodenext', 'bundler']],
  ] as const) {
    const errorsOf = async (name: string) => {
      const project = ['--project', join(SAMPLES, `tsconfig.${name}.json`), '--pretty', 'false']
      const lines = (await compile(project, { cwd: ROOT, tsc })).split('\n')
      // A mistake between two other packages (@types/koa and content-disposition 2) is not for
      // these packages to mend.
      return lines.filter((line) => /^(?!node_modules\/)\S/.test(line))
    }

    for (const resolution of resolutions) {
      it(`say what the packages do: TypeScript ${version}, moduleResolution ${resolution}`, async () => {
        expect(await compile(['--version'], { tsc })).to.include(`Version ${version}.`)
        const lines = await errorsOf(resolution)
        expect(lines, lines.join('\n')).to.have.length(1)
        expect(lines[0]).to.match(MISTAKE)
      })
    }

    // The imports of servers, in a project that knows no browser.
    it(`need no \`dom\` on a server: TypeScript ${version}`, async () => {
      expect(await errorsOf('server')).to.deep.equal([])
    })
  }
})

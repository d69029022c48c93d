import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { packInto } from '../test/support/tarball.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where the files of this folder find the package, with every `moduleResolution`. */
const INSTALLED = join(ROOT, 'test-d/node_modules/oidc-provider-impersonation')

/** The oldest and the newest TypeScript that are supported. 7 has no `moduleResolution: node10`. */
const COMPILERS = [
  ['5.9', 'typescript-5.9', ['nodenext', 'bundler', 'node10']],
  ['7', 'typescript', ['nodenext', 'bundler']],
] as const

describe('the types of the packed package', function () {
  // A compiler of JavaScript looks at every declaration: ten seconds of work.
  this.timeout(300_000)

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-types-'))
    try {
      const { path } = await packInto(folder)
      await rm(INSTALLED, { recursive: true, force: true })
      await mkdir(INSTALLED, { recursive: true })
      await run('tar', ['-xzf', path, '--strip-components=1', '-C', INSTALLED])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  after(() => rm(INSTALLED, { recursive: true, force: true }))

  for (const [version, name, resolutions] of COMPILERS) {
    for (const resolution of resolutions) {
      it(`say what the package does: TypeScript ${version}, moduleResolution ${resolution}`, async () => {
        const compiler = join(ROOT, 'node_modules', name, 'bin/tsc')
        const { stdout: is } = await run(process.execPath, [compiler, '--version'])
        expect(is).to.match(new RegExp(`^Version ${version.replace('.', '\\.')}\\.`))
        const project = join(ROOT, `test-d/tsconfig.${resolution}.json`)
        const compile = [compiler, '--project', project, '--pretty', 'false']
        const { stdout } = await run(process.execPath, compile, { cwd: ROOT }).catch(
          (failure: { stdout: string }) => failure,
        )
        // What is wrong between two other packages (@types/koa and content-disposition 2) is not
        // for this package to mend.
        const errors = stdout.split('\n').filter((line) => /^(?!node_modules\/)\S/.test(line))
        expect(errors).to.deep.equal([])
      })
    }
  }
})

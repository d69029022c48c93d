import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const preload = join(root, 'test/host/resolve-oldest.ts')

/** The supported range's two ends: the one installed for development, and the oldest. */
const VERSIONS: Array<[what: string, expected: RegExp, nodeArguments: string[]]> = [
  ['the newest', /^9\.(1[3-9]|[2-9]\d)\./, []],
  ['the oldest', /^9\.12\.2$/, ['--import', preload]],
]

describe('the seam to oidc-provider/lib', () => {
  it('is one folder', () => {
    const importing = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.d.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => /from '(oidc-provider\/.*)'/.test(readFileSync(file, 'utf8')))
    expect(new Set(importing.map(dirname))).to.deep.equal(new Set([join(root, 'src/host')]))
  })

  for (const [what, expected, nodeArguments] of VERSIONS) {
    describe(`${what} supported version`, () => {
      it('has every name that is imported', async () => {
        const program = join(root, 'test/host/print-seam.ts')
        const { stdout } = await run(process.execPath, [...nodeArguments, program], { cwd: root })
        const { version, kinds } = JSON.parse(stdout)
        expect(version).to.match(expected)
        expect(Object.keys(kinds)).to.have.length.greaterThan(12)
        expect(new Set(Object.values(kinds))).to.deep.equal(new Set(['function']))
      })
    })
  }
})

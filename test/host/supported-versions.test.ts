import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const preload = join(root, 'test/host/resolve-oldest.ts')

/** Imports the package, which fails if oidc-provider lacks a name, and prints the version of that. */
const SCRIPT = `
  await import('${join(root, 'src/index.ts')}')
  const { default: manifest } = await import('oidc-provider/package.json', { with: { type: 'json' } })
  console.log(manifest.version)
`

/** The supported range's two ends: the one installed for development, and the oldest. */
const VERSIONS: Array<[what: string, expected: RegExp, nodeArguments: string[]]> = [
  ['newest', /^9\.(1[3-9]|[2-9]\d)\./, []],
  ['oldest', /^9\.12\.2$/, ['--import', preload]],
]

for (const [what, expected, nodeArguments] of VERSIONS) {
  it(`the ${what} supported oidc-provider has every name that is imported`, async () => {
    const flags = ['--conditions=oidc-provider-impersonation', '--input-type=module']
    const given = [...nodeArguments, ...flags, '--eval', SCRIPT]
    const { stdout } = await run(process.execPath, given, { cwd: root })
    expect(stdout.trim()).to.match(expected)
  })
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Both endpoints, what the plugin adds to claims, and what it leaves alone. */
const TESTS = [
  'test/exchange/*.test.ts',
  'test/http/*.test.ts',
  'test/unchanged/*.test.ts',
  'test/claims/access-token-claims.test.ts',
]

describe('the oldest supported oidc-provider', function () {
  this.timeout(300_000)

  it('behaves as the tests of both endpoints say', async () => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
    const preload = join(root, 'test/host/resolve-oldest.ts')
    // mocha starts a Node.js of its own, with the options of --node-option only.
    const options = ['--node-option', `import=${preload}`, '--reporter=json', '--timeout=60000']
    const { stdout } = await run(process.execPath, [mocha, ...options, ...TESTS], {
      cwd: root,
      maxBuffer: 1 << 26,
    }).catch((failure: { stdout: string }) => failure)
    const { stats, failures } = JSON.parse(stdout.slice(stdout.indexOf('{\n  "stats"')))
    expect(failures.map(({ fullTitle }: { fullTitle: string }) => fullTitle)).to.deep.equal([])
    expect(stats.passes).to.be.greaterThan(150)
  })
})

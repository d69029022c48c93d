import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const ROOT = join(import.meta.dirname, '../../..')
const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js')

interface Run {
  readonly code: number
  readonly stdout: string
}

/** Runs a file of tests where there is no browser. */
async function runWithoutBrowser(environment: Record<string, string>): Promise<Run> {
  const run = promisify(execFile)(process.execPath, [MOCHA, 'test/e2e/sign-in-page.e2e.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', CHROMIUM: '/nonexistent', ...environment },
  })
  return run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (failure: Run) => failure,
  )
}

describe('without a browser', () => {
  it('the tests are skipped, and say what to install; in CI they fail', async () => {
    const [here, inCi] = await Promise.all([
      runWithoutBrowser({}),
      runWithoutBrowser({ CI: 'true' }),
    ])
    const words = / there is no \/nonexistent: .*apt-get install chromium/
    expect(here.stdout)
      .to.match(words)
      .and.to.match(/ 0 passing .*\n +\d+ pending\n/)
    expect(here.code).to.equal(0)
    expect(inCi.stdout).to.match(words).and.to.include('Error: there is no')
    expect(inCi.code).not.to.equal(0)
  })
})

import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { DEMO, listen, run } from './support.ts'

describe('example provider: the demo', function () {
  this.timeout(120_000)

  it('walks the whole flow against a server of its own, ends with 0, and prints no token that could be used', async () => {
    const { code, stdout, stderr } = await run(DEMO)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(42)
    expect(stdout).to.include('"support_engineer": "olivia"').and.include('"actor": "olivia"')
    expect(stdout.match(/^ {4}[\d.]+ s after the end$/gm), 'refused').to.have.lengthOf(4)
    expect(stdout).not.to.match(/eyJ[\w-]{20,}/)
    // A jti and an id have the same length, but give no access.
    const [, file = ''] = /^The log of the server: (.*)\n$/m.exec(stdout) ?? []
    const log = await readFile(file, 'utf8')
    await rm(dirname(file), { recursive: true })
    expect(stdout, 'nothing of the log between the steps').not.to.match(/^\{/m)
    expect(log).to.match(/^\{"event":"impersonation.issued",/m)
    for (const word of (stdout + log).match(/[\w-]{43,}/g) ?? []) {
      expect(stdout + log).to.match(
        new RegExp(
          `"jti": ?"impersonation:${word}"|"(?:id|permit)":"${word}"|/audit/${word}$`,
          'm',
        ),
      )
    }
  })

  it('walks it by the stricter rules', async () => {
    const { code, stdout, stderr } = await run(DEMO, { STRICT: '1' })
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(36)
    expect(stdout).to.include('reason and ticket: refused').and.include('an operator must act')
  })

  it('ends with 1 and one line where nothing listens', async () => {
    const gone = await listen(() => {})
    await gone.close()
    const { code, stderr } = await run(DEMO, {}, '--url', gone.url)
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Discover the provider at .*ECONNREFUSED.*\n$/)
  })
})

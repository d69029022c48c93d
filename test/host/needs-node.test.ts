import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import manifest from '../../package.json' with { type: 'json' }
import { OLDEST_NODE } from '../../src/host/needs-node.ts'

const run = promisify(execFile)
const entry = new URL('../../src/index.ts', import.meta.url).href

/** Imports the package in a process that says that it is another Node. */
async function importIn(version: string): Promise<string> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const script = `${pretend}; await import('${entry}'); console.log('imported')`
  const flags = ['--conditions=oidc-provider-impersonation', '--input-type=module', '--eval']
  return await run(process.execPath, [...flags, script]).then(
    ({ stdout }) => stdout.trim(),
    (error: { stderr: string }) => /^\w*Error: .*/m.exec(error.stderr)?.[0] ?? error.stderr,
  )
}

describe('a Node that is too old', function () {
  this.timeout(60_000)

  for (const version of ['20.20.2', '22.12.0', '18.20.8']) {
    it(`is told at the import, with both versions: ${version}`, async () => {
      expect(await importIn(version)).to.equal(
        `Error: oidc-provider-impersonation needs Node ${OLDEST_NODE} or later, and this is Node ${version}`,
      )
    })
  }

  it('is one below engines of package.json', () => {
    expect(manifest.engines.node).to.equal(`>=${OLDEST_NODE}`)
  })

  for (const version of ['22.13.0', '23.0.0', '26.1.0']) {
    it(`is not ${version}`, async () => {
      expect(await importIn(version)).to.equal('imported')
    })
  }
})

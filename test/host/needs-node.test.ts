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

it('a Node that is too old is told at the import, with both versions', async () => {
  expect(manifest.engines.node).to.equal(`>=${OLDEST_NODE}`)
  const refusal = `Error: oidc-provider-impersonation needs Node ${OLDEST_NODE} or later, and this is Node`
  for (const version of ['18.20.8', '20.20.2', '22.12.0']) {
    expect(await importIn(version)).to.equal(`${refusal} ${version}`)
  }
  for (const version of ['22.13.0', '23.0.0', '26.1.0']) {
    expect(await importIn(version)).to.equal('imported')
  }
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import { startStatusProvider } from '../status/status-provider.ts'

const INDEX = new URL('../../src/index.ts', import.meta.url).href

describe('caller.signal in a process that has nothing else to do', () => {
  it('keeps no process alive', async () => {
    const provider = await startStatusProvider()
    const token = await provider.impersonated(1)
    const options = JSON.stringify({ issuer: provider.issuer, audience: AUDIENCE })
    const script = `
      const { resourceServer } = await import(${JSON.stringify(INDEX)})
      const { signal } = await resourceServer(${options}).authenticate('Bearer ${token}')
      signal.addEventListener('abort', () => {})
    `
    const startedAt = performance.now()
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    expect(code).to.equal(0)
    // A timer of the signal would keep it for five seconds at the least, and for an hour.
    expect(performance.now() - startedAt).to.be.below(4500)
    provider.close()
  })
})

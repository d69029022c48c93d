import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { measureStorage } from '../../bench/rounds.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'bench/main.ts')
const SCENARIOS = ['client_credentials', 'issue', 'exchange', 'full cycle']

describe('the benchmark', () => {
  it('counts the processor time of each request, here and in another checkout', async () => {
    const options = { connections: [2], rounds: 7, requests: 20 }
    const before = process.cpuUsage()
    const figures = await measureStorage('sqlite', { ...options, checkouts: [ROOT, ROOT] })
    const { user, system } = process.cpuUsage(before)
    expect(figures.map(({ scenario }) => scenario)).to.deep.equal(SCENARIOS)
    for (const { scenario, cpu, ratio, against } of figures) {
      for (const { low, median, high } of [cpu, ratio, against ?? cpu]) {
        expect(low, scenario).to.be.above(0)
        expect(median, scenario).to.be.within(low, high)
      }
      // Microseconds: no request takes less than ten, or more than all of this took.
      expect(cpu.median, scenario).to.be.within(10, user + system)
      expect(against, scenario).to.not.equal(undefined)
    }
  })

  it('refuses what says nothing, and has the audit of the console', async () => {
    const run = (...args: string[]) => {
      const condition = '--conditions=oidc-provider-impersonation'
      return promisify(execFile)(process.execPath, [condition, MAIN, ...args], { cwd: ROOT })
    }
    const refused = await run('--rounds', '3').catch((error) => error)
    expect(String(refused.stderr)).to.include('fewer than 7 say nothing of the noise')
    const audit = ['--audit', '--storage', 'sqlite', '--rows', '50', '--runs', '1']
    expect((await run(...audit)).stdout).to.include('The slowest page took ')
  })
})

import { join } from 'node:path'
import { expect } from 'chai'
import { measureStorage } from '../../bench/rounds.ts'

const ROOT = join(import.meta.dirname, '../..')
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
})

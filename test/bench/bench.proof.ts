import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { measureAudit } from '../../bench/audit.ts'
import { measureEnds } from '../../bench/ends.ts'
import { Load } from '../../bench/load.ts'
import { CHECKOUT_ROOT, startServer } from '../../bench/process.ts'
import { measureStorage } from '../../bench/rounds.ts'
import { basic } from '../support/deployment.ts'

describe('the benchmark', () => {
  for (const alg of ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']) {
    it(`runs with --alg ${alg}, and signs access tokens with it`, async () => {
      const server = await startServer({ storage: 'memory', alg })
      const load = new Load({ server, connections: 1 })
      try {
        await load.open()
        await load.cycle()
        const response = await fetch(`${server.base}/oidc/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            resource: 'https://api.example.com',
          }),
          headers: basic('bench', 'bench-secret'),
        })
        const { access_token }: { access_token: string } = JSON.parse(await response.text())
        expect(decodeProtectedHeader(access_token).alg).to.equal(alg)
      } finally {
        await load.close()
        await server.stop()
      }
    })
  }

  it('tells the processor time that the server, not the load, takes for a request', async () => {
    const options = {
      alg: 'ES256',
      hook: false,
      connections: [2],
      requests: 200,
      rounds: 7,
      starts: 1,
    }
    const before = process.cpuUsage()
    const figures = await measureStorage('memory', { ...options, against: CHECKOUT_ROOT })
    const { user, system } = process.cpuUsage(before)
    const scenarios = ['client_credentials', 'exchange', 'full cycle', 'issue']
    expect(figures.map(({ scenario }) => scenario)).to.have.members(scenarios)
    for (const { cpu, cpuRatio, against } of figures) {
      for (const spread of [cpu, cpuRatio, against?.cpu, against?.relative]) {
        const { min = 0, median = 0, max = 0 } = spread ?? {}
        expect(min).to.be.above(0)
        expect(median).to.be.within(min, max)
        expect(max).to.be.finite
      }
      // Microseconds: no request takes less than ten, or more than all of this took.
      expect(cpu.median).to.be.within(10, user + system)
    }
    const of = (name: string) => figures.find(({ scenario }) => scenario === name)?.cpu.median
    // No storage server, and no statements.
    for (const { storageCpu, statements } of figures) {
      expect(storageCpu).to.equal('in process')
      expect(statements).to.equal(undefined)
    }
    // Two slices of the same work; a cycle is an issue and an exchange.
    expect(of('full cycle')).to.be.above(of('issue') ?? Number.NaN)
    const one = { median: 1, min: 1, max: 1, low: 1, high: 1, mean: 1 }
    expect(figures[0]).to.include({ scenario: 'client_credentials' })
    expect(figures[0]?.cpuRatio).to.eql(one)
    expect(figures[0]?.ratio).to.eql(one)
  })

  it('ends impersonations in both ways, and sees the API refuse each of them', async () => {
    const options = { alg: 'ES256', ends: 2, outage: false, knownAfterMs: 0 }
    const { copies, ends, acceptedAgain, max } = await measureEnds('memory', options)
    expect({ copies, ends, acceptedAgain }).to.eql({ copies: 1, ends: 2, acceptedAgain: 0 })
    expect(max).to.be.finite
  })

  it('measures an issue and an exchange with the audit of the console, and the same without it', async () => {
    const options = { alg: 'ES256', connections: [1], requests: 10, rounds: 1 }
    const figures = await measureAudit(options)
    expect(figures.map(({ request, audit }) => [request, audit])).to.eql([
      ['issue', false],
      ['issue', true],
      ['exchange', false],
      ['exchange', true],
    ])
    for (const audit of figures.filter((figure) => figure.audit)) {
      const without = figures.find(({ request }) => request === audit.request)
      // One statement more, for the entry and its row. A clean-up may come between.
      expect((audit.statements ?? Number.NaN) - (without?.statements ?? 0)).to.be.within(1, 1.5)
      expect(audit.statements).to.be.below(3.5)
    }
  })
})

import { expect } from 'chai'
import { soak } from '../../bench/soak.ts'
import { brokenPromises, type Reading, type SoakFigures } from '../../bench/soak-promises.ts'

/** Twenty readings, one every 30 s: ten minutes. */
function readings(of: (step: number) => Partial<Reading>): Reading[] {
  return Array.from({ length: 20 }, (_, index) => ({
    ...{ at: (index + 1) * 30_000, cycles: (index + 1) * 1000, heap: 40, rss: 200 },
    ...of(index + 1),
  }))
}

const KEPT = {
  ...{ storage: 'redis', minutes: 10, cycles: 20_000, explained: 12_500, longestQueue: 4 },
  left: { removed: 0, expired: 0, live: 11_000 },
  stored: { 'impersonation.issued': 20_000, 'impersonation.started': 20_000 },
  readings: readings(() => ({})),
}
type Seen = Omit<SoakFigures, 'broken' | 'judgedSeconds'>
const broken = (more: Partial<Seen>) => brokenPromises({ ...KEPT, ...more }).broken.join()

describe('the benchmark: --soak', () => {
  it('stores every event of a load, and leaves no more records than the load explains', async () => {
    const figures = await soak('sqlite', 0.05, { alg: 'ES256', connections: 8 })
    expect(figures.broken).to.eql([])
    expect(figures.cycles).to.be.above(5)
    expect(figures.stored).to.eql({
      'impersonation.issued': figures.cycles,
      'impersonation.started': figures.cycles,
    })
    // They live for minutes: all of them are there.
    expect(figures.left.live).to.be.within(figures.cycles, figures.explained)
  })

  it('keeps its promises where memory is level', () => {
    expect(brokenPromises(KEPT)).to.eql({ broken: [], judgedSeconds: 300 })
  })

  it('breaks one where an event is missing, stored twice, or was not asked for', () => {
    const { stored } = KEPT
    for (const count of [19_999, 20_001, 0]) {
      const found = broken({ stored: { ...stored, 'impersonation.started': count } })
      expect(found).to.equal(`${count} of 20000 events impersonation.started are stored`)
    }
    expect(broken({ stored: { ...stored, 'impersonation.denied': 1 } })).to.include('denied')
  })

  it('breaks one where a record outlives its time', () => {
    expect(broken({ left: { removed: 0, expired: 1, live: 0 } })).to.equal(
      '1 expired records were not removed',
    )
    expect(broken({ left: { removed: 0, expired: 0, live: 12_501 } })).to.equal(
      '12501 records are left, and the load explains 12500',
    )
  })

  it('breaks one where the heap or resident memory grows in the second half', () => {
    expect(broken({ readings: readings((step) => ({ heap: 40 + step })) })).to.match(
      /^the heap grew by 10\.0 MB/,
    )
    expect(broken({ readings: readings((step) => ({ rss: 200 + 4 * step })) })).to.match(
      /^resident memory grew by 40\.0 MB/,
    )
    // A process warms up.
    const warm = readings((step) => ({ heap: Math.min(40, 10 + 5 * step) }))
    expect(broken({ readings: warm })).to.equal('')
  })

  it('on memory, judges the heap for each live record, once records go', () => {
    const at = (step: number) => ({ heap: 30 + (step > 11 ? 400 : 36 * step) })
    expect(broken({ storage: 'memory', readings: readings(at) })).to.equal('')
    // The load has doubled: so do the records, and the heap with them.
    const faster = readings((step) => ({
      cycles: step <= 13 ? step * 1000 : 13_000 + (step - 13) * 2000,
      heap: step <= 13 ? 440 : 440 + (step - 13) * 40,
    }))
    expect(broken({ storage: 'memory', readings: faster })).to.equal('')
    expect(broken({ readings: faster })).to.match(/^the heap grew/)
    const leaks = readings((step) => ({ heap: 30 + 36 * step }))
    expect(broken({ storage: 'memory', readings: leaks })).to.match(/^the heap grew/)
  })

  it('does not judge the memory of a soak that is over before the process is warm', () => {
    const growing = readings((step) => ({ heap: 40 * step, rss: 200 * step })).slice(0, 8)
    for (const storage of ['memory', 'redis']) {
      const judged = brokenPromises({ ...KEPT, storage, readings: growing })
      expect(judged).to.eql({ broken: [], judgedSeconds: undefined })
    }
  })
})

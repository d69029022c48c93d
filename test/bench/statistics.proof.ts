import { expect } from 'chai'
import { intervalRank, spread } from '../../bench/statistics.ts'

describe('the benchmark: its statistics', () => {
  it('takes the 95 % interval of the median from the table of the binomial distribution', () => {
    // The published ranks of the sign test, two-sided, 5 %: how many are below the interval.
    const published = { 6: 0, 7: 0, 9: 1, 12: 2, 15: 3, 20: 5, 25: 7, 60: 21, 100: 39 }
    for (const [count, rank] of Object.entries(published)) {
      expect(intervalRank(Number(count)), `of ${count}`).to.equal(rank)
    }
    expect(intervalRank(3), 'too few for an interval').to.equal(0)
    expect(spread([9, 1, 3, 5, 7, 2, 8])).to.deep.equal({ median: 5, low: 1, high: 9 })
  })
})

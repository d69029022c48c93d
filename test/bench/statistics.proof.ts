import { expect } from 'chai'
import { growth, intervalRank, spread } from '../../bench/statistics.ts'

describe('the benchmark: its statistics', () => {
  it('takes the 95 % interval of the median from the table of the binomial distribution', () => {
    // The published ranks of the sign test, two-sided, 5 %: how many are below the interval.
    const published = { 6: 0, 7: 0, 9: 1, 12: 2, 15: 3, 20: 5, 25: 7, 60: 21, 100: 39 }
    for (const [count, rank] of Object.entries(published)) {
      expect(intervalRank(Number(count)), `of ${count}`).to.equal(rank)
    }
    expect(intervalRank(3), 'too few for an interval').to.equal(0)
  })

  it('finds the true median in about 95 of 100 intervals, however the noise is distributed', () => {
    let found = 0
    let state = 1
    // A generator of its own, so that the result is the same in every run.
    const random = () => {
      state = (state * 48271) % 2147483647
      return state / 2147483647
    }
    for (let run = 0; run < 2000; run += 1) {
      // Steep on one side, as times are.
      const values = Array.from({ length: 60 }, () => random() ** 8)
      const { low, high } = spread(values)
      if (low <= 0.5 ** 8 && 0.5 ** 8 <= high) found += 1
    }
    expect(found / 2000).to.be.within(0.94, 0.98)
  })

  it('says how much values grow over all of their time', () => {
    const line = [0, 1, 2, 3, 4].map((at) => ({ at, value: 100 + 5 * at }))
    expect(growth(line)).to.be.closeTo(20, 1e-9)
    const level = [7, 9, 7, 9, 7].map((value, at) => ({ at, value }))
    expect(growth(level)).to.be.closeTo(0, 1e-9)
  })
})

import { expect } from 'chai'
import { dateOf, daysFrom, monthOf, withRange } from '../../src/web/when.ts'

const at = (time: string) => Date.parse(time)

describe('a part of time, by the calendar of the reader', () => {
  const DAYS = [
    ['UTC', '2026-02-18', '2026-02-18T00:00Z', '2026-02-19T00:00Z'],
    ['Europe/Berlin', '2026-02-18', '2026-02-17T23:00Z', '2026-02-18T23:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
    ['Asia/Kolkata', '2026-12-31', '2026-12-30T18:30Z', '2026-12-31T18:30Z'],
    ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00Z', '2026-04-05T12:00Z'],
  ] as const
  for (const [zone, day, from, to] of DAYS) {
    it(`${day} in ${zone} is from ${from} to ${to}`, () => {
      const range = { from: at(from), to: at(to) }
      expect(daysFrom(zone, day, 1)).to.deep.equal(range)
      expect(withRange({ from: day, to: day }, zone)).to.deep.equal(range)
      expect([dateOf(zone, at(from)), dateOf(zone, at(to) - 1)]).to.deep.equal([day, day])
    })
  }

  it('has months, over the end of a year', () => {
    expect(monthOf('Europe/Berlin', at('2027-01-31T23:30Z'), 2)).to.deep.equal({
      from: at('2026-11-30T23:00Z'),
      to: at('2026-12-31T23:00Z'),
    })
  })

  it('is what is chosen, before the days beside it', () => {
    expect(withRange({ when: '7-9', from: '2026-02-18' }, 'UTC')).to.deep.equal({ from: 7, to: 9 })
    expect(withRange({ when: 'any', from: '5' }, 'UTC')).to.deep.equal({})
    expect(withRange({ when: 'days', from: '5' }, 'UTC')).to.deep.equal({ from: 5, to: undefined })
  })
})

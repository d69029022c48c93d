import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { keepTrying } from '../../src/impersonations/retry.ts'
import { warnings } from '../support/warnings.ts'
import { until } from './recorded-endings.ts'

/** The warnings that `use` leads to. */
async function warningsOf(use: () => Promise<void>): Promise<string[]> {
  using given = warnings()
  await use()
  await wait(5)
  return given.told.map(({ message }) => message)
}

describe('what no request waits for', () => {
  it('goes on when the storage is back; each that waits asks after a longer pause', async () => {
    const keep = keepTrying(60)
    const done = new Set<number>()
    let asked = 0
    let isDown = true
    for (let n = 0; n < 1000; n += 1) {
      keep(`${n}`, async () => {
        asked += 1
        if (isDown) throw new Error('down')
        done.add(n)
      })
    }
    await wait(20)
    expect(asked, 'each at once').to.equal(1000)
    // 250 ms after the first attempt, 500 after the second, and 1,000 after the third.
    for (const [after, attempts] of [
      [400, 2000],
      [500, 3000],
      [500, 3000],
    ] as const) {
      await wait(after)
      expect(asked).to.equal(attempts)
    }
    isDown = false
    const size = await until(
      async () => done.size,
      (count) => count === 1000,
    )
    expect([size, asked]).to.deep.equal([1000, 4000])
  })

  it('goes on behind an attempt that the storage never answers, and makes that again, too', async () => {
    const keep = keepTrying(60, 10, 50)
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const attempts = { first: 0, second: 0 }
    keep('first', async () => {
      attempts.first += 1
      if (attempts.first === 1) throw new Error('down')
      if (attempts.first === 2) await new Promise(() => {})
      first.resolve()
    })
    await until(
      async () => attempts.first,
      (count) => count === 2,
    )
    keep('second', async () => {
      attempts.second += 1
      if (attempts.second === 1) throw new Error('down')
      second.resolve()
    })
    await Promise.all([first.promise, second.promise])
  })

  it('is not begun twice, and what is given up says so and can come again', async () => {
    const keep = keepTrying(0)
    let asked = 0
    const fail = async () => {
      asked += 1
      await wait(1)
      throw new Error('down')
    }
    const given = await warningsOf(async () => {
      keep('one', fail)
      keep('one', fail)
      await wait(20)
      expect(asked).to.equal(1)
      keep('one', fail)
      await wait(20)
      expect(asked).to.equal(2)
    })
    expect(given).to.have.length(2)
    expect(given[0]).to.equal('an end failed, and it is not tried again: down')
  })

  it('has a bound, and says once that it is reached', async () => {
    const keep = keepTrying(60, 2)
    const ran: string[] = []
    const given = await warningsOf(async () => {
      for (const key of ['a', 'b', 'c', 'd']) keep(key, async () => void ran.push(key))
      await wait(5)
    })
    expect(ran).to.deep.equal(['a', 'b'])
    expect(given).to.deep.equal(['an end failed, and it is not tried again: 2 others wait'])
  })
})

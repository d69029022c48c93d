import { expect } from 'chai'
import { renewed } from '../../../../test/support/shared.ts'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import type { ResourceServer } from '../../src/index.ts'
import {
  ENDED,
  expectVerdict,
  type StatusProvider,
  startStatusProvider,
  verdict,
} from './status-provider.ts'

const DOWN: StatusProvider['answer'] = (request) => request.destroy()

describe('the guard: status lists and clocks', () => {
  let api: ResourceServer
  let token: string

  const clock = renewed(stoppedClock)
  const provider = renewed(startStatusProvider)
  beforeEach(async () => {
    api = provider.guard()
    token = await provider.impersonated(1)
  })

  const ask = () => verdict(api, token)
  const says = (expected: string, shown = token) => expectVerdict(api, shown, expected)
  /** Serves a list that was signed so many seconds ago, as a cache would. */
  function serveOld(seconds: number, headers?: Record<string, string>): void {
    const iat = Math.floor(Date.now() / 1000 + provider.skew) - seconds
    provider.answer = provider.serve(() => provider.list({ iat, exp: iat + 30 }), headers)
  }
  const dateBefore = (seconds: number) =>
    new Date(Date.now() + (provider.skew - seconds) * 1000).toUTCString()

  for (const skew of [-120, 120]) {
    // Without `Age`, a time that has passed here may be that of a cache which says none.
    const headers: Record<string, string> = skew < 0 ? { age: '0' } : {}

    it(`two minutes off (${skew}): fresh lists are believed, for no longer than else`, async () => {
      provider.skew = skew
      provider.answer = provider.serve(provider.list, headers)
      await says('alice')
      provider.ended.add(1)
      clock.pass(5.1)
      await says(ENDED)
      provider.ended.clear()
      const { answer } = provider
      api = provider.guard()
      await says('alice')
      provider.answer = DOWN
      clock.pass(29)
      await says('alice')
      clock.pass(2)
      await says('503')
      provider.answer = answer
      clock.pass(1)
      await says('alice')
    })

    it(`two minutes off (${skew}), and a response that does not say what time it is: 503`, async () => {
      provider.skew = skew
      const answer = provider.serve(provider.list, headers)
      provider.answer = (request, response) => {
        response.sendDate = false
        provider.serve(provider.list, { ...headers, date: 'now' })(request, response)
      }
      await says('503')
      provider.answer = answer
      clock.pass(1)
      await says('alice')
    })

    it(`two minutes off (${skew}): a list that has expired by the clock of the provider is not believed`, async () => {
      provider.skew = skew
      for (const headers of [{}, { age: '40' }, { age: '40', date: dateBefore(40) }]) {
        serveOld(40, headers)
        await expectVerdict(provider.guard({ clockTolerance: 300 }), token, '503')
      }
    })
  }

  it('a clock that is over 30 seconds fast: 503, where the response does not say its age', async () => {
    provider.skew = -32
    const { serve, list } = provider
    for (const [age, expected] of Object.entries({ 0: 'alice', none: '503', '-1': '503' })) {
      provider.answer = serve(list, age === 'none' ? {} : { age })
      await expectVerdict(provider.guard(), token, expected, age)
    }
    provider.skew = -28
    provider.answer = serve(list)
    await expectVerdict(provider.guard(), token, 'alice')
  })

  // A cache that keeps `Date` and says no `Age`, or an attacker who has the lists of yesterday.
  for (const skew of [0, -120, 120]) {
    it(`two minutes off at most (${skew}): an old response makes no old list a fresh one`, async () => {
      provider.skew = skew
      for (const seconds of [600, 86_400]) {
        serveOld(seconds, { date: dateBefore(seconds) })
        await expectVerdict(provider.guard({ clockTolerance: 300 }), token, '503')
      }
    })
  }

  it('a clock that is set back makes no held list younger, and one that differs by rounding none older', async () => {
    const { now } = Date
    await says('alice')
    provider.answer = DOWN
    for (let n = 0; n < 300; n += 1) {
      Date.now = () => now() + (n % 2) * 20
      await ask()
    }
    expect(provider.asked).to.have.lengthOf(1)
    clock.pass(20)
    Date.now = () => now() - 3_600_000
    await says('alice')
    clock.pass(11)
    await says('503')
    Date.now = now
  })

  // The monotonic clock stands still while a machine is suspended.
  it('a machine that was suspended, or whose clock is set forward, asks before it believes', async () => {
    const { now } = Date
    const { answer } = provider
    await says('alice')
    provider.ended.add(1)
    Date.now = () => now() + 60_000
    provider.answer = DOWN
    await says('503')
    provider.answer = answer
    clock.pass(1)
    await says(ENDED)
    Date.now = now
  })

  it('an older copy does not shorten the life of the one that is held', async () => {
    await says('alice')
    serveOld(20)
    clock.pass(6)
    await says('alice')
    provider.answer = DOWN
    clock.pass(20)
    await says('alice')
    clock.pass(5)
    await says('503')
  })

  it('a copy that is served a second time gets no new life', async () => {
    // The clock of this machine is wrong, and a cache does not say how old its copy is.
    provider.skew = 120
    const copy = await provider.list()
    provider.answer = provider.serve(() => copy, { date: dateBefore(0) })
    for (const seconds of [0, 6, 6, 6, 6]) {
      clock.pass(seconds)
      await says('alice')
    }
    clock.pass(7)
    await says('503')
    expect(provider.asked).to.have.lengthOf(6)
  })
})

import { expect } from 'chai'
import { renewed } from '../../../../test/support/shared.ts'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import { type Fetch, type ResourceServer, StatusUnavailable } from '../../src/index.ts'
import { type LoadList, statusCache } from '../../src/status/cache.ts'
import { hurriedTimeouts } from '../hurried-timeouts.ts'
import {
  ENDED,
  expectVerdict,
  type StatusProvider,
  startStatusProvider,
  verdict,
} from './status-provider.ts'

const DOWN: StatusProvider['answer'] = (request) => request.destroy()

// The sentences are of draft-ietf-oauth-status-list-21.
describe('the guard: holding a status list', () => {
  let api: ResourceServer
  let token: string
  /** The number of fetches of a list that began. */
  let started: number

  const clock = renewed(stoppedClock)
  const provider = renewed(startStatusProvider)
  beforeEach(async () => {
    started = 0
    api = provider.guard({
      fetch: (url, init) => {
        if (url.includes('/status-lists/')) started += 1
        return fetch(url, init)
      },
    })
    token = await provider.impersonated(1)
  })

  const ask = (shown = token) => verdict(api, shown)
  const says = (expected: string, shown = token) => expectVerdict(api, shown, expected)
  it('requests that come together fetch it once', async () => {
    const together = () => Promise.all(Array.from({ length: 100 }, () => ask()))
    expect(new Set(await together())).to.deep.equal(new Set(['alice']))
    expect(started).to.equal(1)
    clock.pass(6)
    provider.ended.add(1)
    expect(new Set(await together())).to.deep.equal(new Set([ENDED]))
    expect(started).to.equal(2)
  })

  it('each list is fetched for itself', async () => {
    const other = await provider.impersonated({
      status: provider.status(1, `${provider.issuer}/status-lists/b`),
    })
    await says('alice')
    // The provider signs the list `a` alone, and it is none for a token of `b`.
    await says('503', other)
    expect(provider.asked).to.deep.equal(['/status-lists/a', '/status-lists/b'])
  })

  // §13.7: "the ttl claim represents a duration to be interpreted relative to the time the Status
  // List is fetched".
  it('it is refreshed in the background before its ttl, and no request waits', async () => {
    await ask()
    clock.pass(2.4)
    await ask()
    expect(started).to.equal(1)
    clock.pass(0.2)
    provider.ended.add(1)
    await says('alice')
    // The clock stands still: this ends by the background fetch alone.
    while ((await ask()) === 'alice') await new Promise(setImmediate)
    await says(ENDED)
    expect(started).to.equal(2)
  })

  it('its ttl counts from the start of the fetch, also where that took long', async () => {
    const { answer } = provider
    provider.answer = (request, response) => {
      clock.pass(1.5)
      answer(request, response)
    }
    await ask()
    provider.ended.add(1)
    clock.pass(3.6)
    await says(ENDED)
  })

  // §11.5: "clients should be configured with lower/upper bounds for these values". §8.2: "Relying
  // Parties MUST prioritize the exp and ttl claims within the Status List Token over the HTTP
  // headers for determining caching behavior."
  for (const [ttl, least, most] of [
    [0.001, 0.4, 1.1],
    [86_400, 14.9, 15.1],
    [undefined, 2.4, 2.6],
  ] as const) {
    it(`a ttl of ${ttl} is held to bounds, whatever the HTTP headers say`, async () => {
      const headers = { 'cache-control': 'max-age=9999, immutable' }
      provider.answer = provider.serve(() => provider.list({ ttl }), headers)
      await ask()
      clock.pass(least)
      await ask()
      expect(started).to.equal(1)
      clock.pass(most - least)
      await ask()
      expect(started).to.equal(2)
    })
  }

  it('while the provider is down the copy is used until its exp; then it is 503, until it is back', async () => {
    await ask()
    provider.answer = DOWN
    for (const seconds of [6, 20, 3]) {
      clock.pass(seconds)
      await says('alice')
    }
    expect(started).to.equal(4)
    clock.pass(1.5)
    // §11.5: "to prevent accidentally creating unreasonable amounts of requests for a specific URL".
    for (let n = 0; n < 20; n += 1) await says('503')
    expect(started).to.equal(5)
    await expectVerdict(api, await provider.tokens.token(), 'alice')
    provider.answer = provider.serve(provider.list)
    clock.pass(1)
    await says('alice')
  })

  it('a copy that lags behind brings no ended impersonation back', async () => {
    const lagging = await provider.list()
    provider.ended.add(1)
    await says(ENDED)
    provider.answer = provider.serve(() => lagging)
    clock.pass(5.1)
    await says(ENDED)
    provider.ended.clear()
    provider.ended.add(2)
    provider.answer = provider.serve(provider.list)
    clock.pass(5.1)
    await says(ENDED)
    await says(ENDED, await provider.impersonated(2))
    await says('alice', await provider.impersonated(3))
    expect(started).to.equal(3)
  })

  // An error that no request waits for would end the process of the API.
  it('what fails in the background is trouble of no request, and of no process', async () => {
    const type = { 'content-type': 'application/statuslist+jwt' }
    const cut = new ReadableStream({
      pull: (body) => body.error(new Error('the connection was lost')),
      cancel: () => Promise.reject(new Error('nor can it be cancelled')),
    })
    const failures: Fetch[] = [
      () => Promise.reject(undefined),
      () => {
        throw new Error('at once')
      },
      async () => new Response(cut, { headers: type }),
      async () => new Response('text', { headers: type }),
      async () => new Response(null, { status: 204 }),
    ]
    let failing: Fetch | undefined
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.prependListener('unhandledRejection', note)
    api = provider.guard({ fetch: (url, init) => (failing ?? fetch)(url, init) })
    for (const failure of failures) {
      failing = undefined
      clock.pass(6)
      await says('alice')
      failing = failure
      clock.pass(3)
      await says('alice')
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    }
    process.removeListener('unhandledRejection', note)
    expect(unhandled).to.deep.equal([])
  })

  it('a list that expires before its ttl has passed is fetched again then, and not refused', async () => {
    const iat = () => Math.floor(Date.now() / 1000)
    provider.answer = provider.serve(() => provider.list({ exp: iat() + 2, ttl: 30 }))
    await says('alice')
    provider.ended.add(1)
    clock.pass(8)
    await says(ENDED)
    expect(started).to.equal(2)
  })

  // §13.7: "the exp claim specifies an absolute timestamp, marking the point in time when the Status
  // List expires and MUST NOT be relied upon any longer".
  it('no list is believed for longer than 35 seconds, whatever it says', async () => {
    const exp = 2 ** 33
    provider.answer = provider.serve(() => provider.list({ exp, ttl: exp }))
    provider.ended.add(2)
    const ended = await provider.impersonated(2)
    expect([await ask(), await ask(ended)]).to.deep.equal(['alice', ENDED])
    provider.answer = DOWN
    clock.pass(29)
    expect([await ask(), await ask(ended)]).to.deep.equal(['alice', ENDED])
    clock.pass(6)
    expect([await ask(), await ask(ended)]).to.deep.equal(['503', '503'])
  })
})

describe('the guard: how many status lists it holds', () => {
  let loaded: string[]
  let ended: number
  let load: LoadList
  let listAt: ReturnType<typeof statusCache>

  const clock = renewed(stoppedClock)
  beforeEach(() => {
    loaded = []
    ended = 1
    load = async (uri) => {
      loaded.push(uri)
      const bytes = Uint8Array.of(ended)
      const expiresAt = performance.now() + 30_000
      const text = String(loaded.length)
      return { list: { bits: 1, bytes }, ttl: 5000, span: 30_000, expiresAt, text }
    }
    listAt = statusCache(load, () => performance.now())
  })

  it('are 256; the one that was not used for the longest time is fetched anew', async () => {
    for (let n = 0; n < 256; n += 1) await listAt(`${n}`)
    await listAt('0')
    expect(loaded).to.have.lengthOf(256)
    await listAt('256')
    await listAt('0')
    expect(loaded).to.have.lengthOf(257)
    await listAt('1')
    expect(loaded.slice(256)).to.deep.equal(['256', '1'])
  })

  it('with 300 in use, each is had, and each end is seen', async () => {
    ended = 0
    const uris = Array.from({ length: 300 }, (_, n) => `${n}`)
    const bits = async () =>
      (await Promise.all(uris.map(listAt))).map(({ list: { bytes } }) => bytes[0]).join('')
    expect(await bits()).to.equal('0'.repeat(300))
    ended = 1
    clock.pass(5)
    for (const uri of uris) expect((await listAt(uri)).list.bytes[0], uri).to.equal(1)
    expect(await bits()).to.equal('1'.repeat(300))
  })

  it('are those of the last ten minutes, once there is another', async () => {
    await listAt('a')
    clock.pass(300)
    await listAt('b')
    clock.pass(301)
    await listAt('c')
    // Both are fetched again. The list that was dropped has forgotten its bits.
    ended = 0
    expect([...(await listAt('a')).list.bytes, ...(await listAt('b')).list.bytes]).to.deep.equal([
      0, 1,
    ])
  })

  // Timers of Node fire up to a millisecond early: this made an end 9 seconds late.
  it('asked a moment before a copy is stale, it is due again at once', async () => {
    let times = [0]
    const moving = statusCache(
      (...asked) => load(...asked),
      () => Number(times.length > 1 ? times.shift() : times[0]),
    )
    expect(await moving('a')).to.include({ dueIn: 5000 })
    times = [4999.6, 4999.7, 5000.4, 5000.5]
    expect((await moving('a')).dueIn).to.be.below(1)
  })

  it('a wait that no signal ends, such as one for keys, ends after two seconds', async () => {
    using timeouts = hurriedTimeouts(2000)
    const cache = statusCache(
      () => new Promise(() => {}),
      () => 0,
    )
    const failure = await cache('a').catch((error) => error)
    expect(failure).to.be.instanceOf(StatusUnavailable)
    expect(failure.cause).to.have.property('name', 'TimeoutError')
    expect(timeouts.asked).to.deep.equal([2000])
  })
})

import { expect } from 'chai'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import { StatusUnavailable } from '../../src/index.ts'
import { type LoadList, statusCache } from '../../src/status/cache.ts'
import { hurriedTimeouts } from '../hurried-timeouts.ts'

describe('the guard: how many status lists it holds', () => {
  let clock: ReturnType<typeof stoppedClock>
  let loaded: string[]
  let ended: number
  let load: LoadList
  let listAt: ReturnType<typeof statusCache>

  beforeEach(() => {
    clock = stoppedClock()
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
  afterEach(() => clock[Symbol.dispose]())

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

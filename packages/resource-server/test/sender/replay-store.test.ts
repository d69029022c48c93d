import { expect } from 'chai'
import { memoryReplayStore } from '../../src/sender/replay-store.ts'

describe('the memory of used proofs', () => {
  const now = Date.now
  let seconds: number

  beforeEach(() => {
    seconds = 1_000_000
    Date.now = () => seconds * 1000
  })
  afterEach(() => {
    Date.now = now
  })

  it('an id is used once, until it expires and after', () => {
    const store = memoryReplayStore()
    const expiresAt = seconds + 60
    expect(store.isFirstUse('a', expiresAt)).to.equal(true)
    expect(store.isFirstUse('a', expiresAt)).to.equal(false)
    // Its age does not count.
    expect(store.isFirstUse('a', expiresAt + 1)).to.equal(false)
    expect(store.isFirstUse('b', expiresAt)).to.equal(true)
    seconds += 59
    expect(store.isFirstUse('a', expiresAt)).to.equal(false)
    seconds += 1
    expect(store.isFirstUse('a', expiresAt)).to.equal(false)
  })

  it('a clock that is set back makes no proof usable again', () => {
    const store = memoryReplayStore()
    const expiresAt = seconds + 60
    expect(store.isFirstUse('a', expiresAt)).to.equal(true)
    seconds += 100
    expect(store.isFirstUse('later', seconds + 60)).to.equal(true)
    seconds -= 100
    expect(store.isFirstUse('a', expiresAt)).to.equal(false)
    expect(store.isFirstUse('new', expiresAt + 1)).to.equal(true)
    seconds += 1000
    for (const age of [0, 30]) void store.isFirstUse(`${age}`, seconds + 60 - age)
    seconds += 100
    void store.isFirstUse('later still', seconds + 60)
    seconds -= 100
    expect(store.isFirstUse('0', seconds + 60)).to.equal(false)
  })

  it('where it is full, the second with most proofs becomes unusable, and none becomes usable again', () => {
    const store = memoryReplayStore(3)
    for (const [id, age] of [
      ['a', 10],
      ['old', 30],
      ['b', 10],
    ] as const) {
      expect(store.isFirstUse(id, seconds + 60 - age)).to.equal(true)
    }
    // Those that are ten seconds old make room.
    expect(store.isFirstUse('new', seconds + 60)).to.equal(true)
    for (const [id, age] of [
      ['a', 10],
      ['b', 10],
      ['c', 10],
      ['old', 30],
      ['new', 0],
    ] as const) {
      expect(store.isFirstUse(id, seconds + 60 - age), id).to.equal(false)
    }
    expect(store.isFirstUse('older', seconds + 20)).to.equal(true)
    // Set back or not, the clock brings none of them again.
    seconds += 100
    void store.isFirstUse('later', seconds + 60)
    seconds -= 100
    for (const id of ['a', 'c']) expect(store.isFirstUse(id, seconds + 50), id).to.equal(false)
  })

  it('a flood of proofs, of the future or of all ages, leaves those of other clients usable', () => {
    const store = memoryReplayStore(1000)
    const flood = (ages: number) => {
      for (let n = 0; n < 10_000; n += 1)
        void store.isFirstUse(`${ages} ${n}`, seconds + 120 - (n % ages))
    }
    flood(1)
    for (let n = 0; n < 10; n += 1) {
      expect(store.isFirstUse(`a ${n}`, seconds + 60), `a ${n}`).to.equal(true)
    }
    seconds += 1
    flood(40)
    for (let n = 0; n < 10; n += 1) {
      expect(store.isFirstUse(`b ${n}`, seconds + 60), `b ${n}`).to.equal(true)
    }
    expect(store.isFirstUse('b 0', seconds + 60)).to.equal(false)
  })

  it('what expired makes room without refusing anything', () => {
    const store = memoryReplayStore(2)
    for (const id of ['a', 'b']) expect(store.isFirstUse(id, seconds + 60)).to.equal(true)
    seconds += 60
    for (const id of ['c', 'd']) expect(store.isFirstUse(id, seconds + 1), id).to.equal(true)
    // But not more room than there was.
    expect(store.isFirstUse('e', seconds + 1)).to.equal(false)
  })

  it('holds 100,000 unless told otherwise', () => {
    const store = memoryReplayStore()
    for (let n = 1; n < 100_000; n += 1) void store.isFirstUse(`${n}`, seconds + 60)
    expect(store.isFirstUse('last', seconds + 60)).to.equal(true)
    expect(store.isFirstUse('other', seconds + 59)).to.equal(true)
    // It cost the others.
    expect(store.isFirstUse('one more', seconds + 60)).to.equal(false)
  })
})

import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { type Batching, batcher } from '../../src/adapters/batcher.ts'

/** A storage that doubles numbers and keeps what it was asked for. */
function doubling(options: Partial<Batching<number, number>> = {}) {
  const asked: (number | number[])[] = []
  const { run } = batcher<number, number>({
    size: 64,
    async alone(call) {
      asked.push(call)
      return call * 2
    },
    async together(calls) {
      asked.push([...calls])
      return (call) => call * 2
    },
    tookNoEffect: () => false,
    ...options,
  })
  return { asked, run }
}

describe('calls in batches', () => {
  it('runs the calls of one turn together, and gives each its own result', async () => {
    const { asked, run } = doubling()
    expect(await Promise.all([1, 2, 3].map(run))).to.deep.equal([2, 4, 6])
    expect(asked).to.deep.equal([[1, 2, 3]])
  })

  it('runs a call alone where the turn has no other', async () => {
    const { asked, run } = doubling()
    expect(await run(1)).to.equal(2)
    expect(await run(2)).to.equal(4)
    expect(asked).to.deep.equal([1, 2])
  })

  it('lets no call wait for a batch that does not answer', async () => {
    const { run } = doubling({ together: () => new Promise(() => {}) })
    for (const call of [1, 2]) void run(call)
    await turn()
    expect(await run(3)).to.equal(6)
  })

  it('runs calls also where a test replaces the timers of the process', async () => {
    mock.timers.enable({ apis: ['setImmediate', 'setTimeout'] })
    try {
      const { run } = doubling()
      expect(await run(1)).to.equal(2)
    } finally {
      mock.timers.reset()
    }
  })

  it('puts no more calls into a batch than its size', async () => {
    const { asked, run } = doubling({ size: 2 })
    expect(await Promise.all([1, 2, 3, 4, 5].map(run))).to.deep.equal([2, 4, 6, 8, 10])
    expect(asked).to.deep.equal([[1, 2], [3, 4], 5])
  })

  it('puts calls of one key into one batch after the other, in the order of the calls', async () => {
    const { asked, run } = doubling({ size: 3, key: (call) => String(call % 10) })
    await Promise.all([1, 11, 21, 2, 3, 4].map(run))
    expect(asked).to.deep.equal([[1, 2, 3], [11, 4], 21])
  })

  it('runs each alone where one may be the reason that none took effect: it fails alone', async () => {
    const { run } = doubling({
      async alone(call) {
        if (call === 2) throw new Error('two is bad')
        return call * 2
      },
      together: async () => Promise.reject(new Error('one is bad')),
      tookNoEffect: (error) => error instanceof Error && error.message === 'one is bad',
    })
    const results = await Promise.allSettled([1, 2, 3].map(run))
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(results[1]).to.have.nested.property('reason.message', 'two is bad')
  })

  it('fails exactly the calls of the batch where anything else fails, and repeats none', async () => {
    const lost = new Error('connection lost')
    const { asked, run } = doubling({
      size: 2,
      async together(calls) {
        if (calls.includes(2)) throw lost
        return (call) => call * 2
      },
    })
    const results = await Promise.allSettled([1, 2, 3, 4].map(run))
    expect(results).to.deep.equal([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
      { status: 'fulfilled', value: 6 },
      { status: 'fulfilled', value: 8 },
    ])
    expect(asked, 'none was run alone').to.deep.equal([])
  })

  it('fails a single call of a batch where its own result fails', async () => {
    const { run } = doubling({
      together: async () => async (call) => {
        if (call === 2) throw new Error('two is bad')
        return call * 2
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map(run))
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})

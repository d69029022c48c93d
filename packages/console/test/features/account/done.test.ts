import { expect } from 'chai'
import { whatWasDone } from '../../../src/web/done.ts'
import type { DescribedUse } from '../../../src/web/use-words.ts'
import { idOf, issued, many, put, T, used } from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'

describe('what was done in an impersonation', () => {
  async function told(
    paths: readonly string[],
    describeUse: (use: DescribedUse) => string | undefined,
    status = 200,
  ) {
    const store = memoryAudit()
    const uses = paths.map((path, index) => used('a', T + index, { path, status }))
    await put(store, issued('a', T), ...uses)
    const row = (await store.row(idOf('a'))) ?? expect.fail('no row')
    return whatWasDone(store, [row], describeUse, 'en')
  }

  it('is summed up by its words, the first first, with the time of the last', async () => {
    const { did, more } = await told(['/b', '/a', '/b', '/c'], ({ path }) =>
      path === '/c' ? undefined : `Looked at ${path}`,
    )
    expect(did).to.deep.equal([
      { text: 'Looked at /b', count: 2, at: T + 2, refused: false },
      { text: 'Looked at /a', count: 1, at: T + 1, refused: false },
    ])
    expect(more).to.equal(undefined)
  })

  it('is told in fifty ways at most: the others are counted', async () => {
    const paths = many(1200, (index) => `/${index}`)
    const { did, more } = await told(paths, ({ path }) => path)
    expect(did.map(({ text }) => text)).to.deep.equal(paths.slice(0, 50))
    expect(more).to.deep.equal({ reads: 1150, changes: 0, refused: 0 })
  })

  it('counts what is more than a thousand requests', async () => {
    const paths = many(1200, () => '/orders')
    const { did, more } = await told(paths, () => 'Looked at your orders')
    // One of the thousand entries that are read is the first: it was asked for.
    expect(did.map(({ count }) => count)).to.deep.equal([999])
    expect(more).to.deep.equal({ reads: 201, changes: 0, refused: 0 })
  })

  it('has words of 200 characters at most', async () => {
    const { did } = await told(['/a'], () => ` ${'😀'.repeat(300)} `)
    expect(did[0]?.text).to.equal('😀'.repeat(200))
  })

  it('is one sum of several impersonations', async () => {
    const store = memoryAudit()
    for (const name of ['a', 'b']) await put(store, issued(name, T), used(name, T + 1))
    const { rows } = await store.find({}, { limit: 9, now: T })
    const { did } = await whatWasDone(store, rows, () => 'Looked', 'en')
    expect(did).to.deep.equal([{ text: 'Looked', count: 2, at: T + 1, refused: false }])
  })

  it('lets the words say that a request failed', async () => {
    const { did, more } = await told(['/a'], ({ status }) => `Answered ${status}`, 500)
    expect(did.map(({ text }) => text)).to.deep.equal(['Answered 500'])
    expect(more).to.equal(undefined)
  })
})

import { expect } from 'chai'
import type { EndedFollower } from '../../../src/adapters/contract.ts'
import { createSqliteAdapter } from '../../../src/adapters/sqlite/index.ts'
import { followEnded } from '../../../src/adapters/sqlite/table.ts'

const told = async (follower: EndedFollower | undefined) => [
  ...(await (follower ?? expect.fail()).next()),
]

describe('a status list in SQLite', () => {
  it('has an end although the ends before it were removed: no number comes twice', async () => {
    const adapter = createSqliteAdapter({ file: ':memory:' })
    const tokens = adapter('SubjectToken')
    const store = (statusIndex: number) =>
      tokens.upsert(
        `id-${statusIndex}`,
        { accountId: 'a', iat: 1, statusList: 'l', statusIndex },
        60,
      )
    for (const index of [1, 2, 3]) await store(index)
    const follower = tokens.followEnded?.('l')
    for (const index of [1, 2]) await tokens.endOnce(`id-${index}`, { at: 1 })
    expect(await told(follower)).to.deep.equal([1, 2])
    for (const index of [1, 2]) await tokens.destroy(`id-${index}`)
    await tokens.endOnce('id-3', { at: 1 })
    expect(await told(follower)).to.deep.equal([3])
    adapter.close()
  })

  it('costs by what is new, and is read in parts', async () => {
    const ended = Array.from({ length: 25_000 }, (_, n) => ({ ended_index: n, ended_turn: n + 1 }))
    const read: number[] = []
    const follower = followEnded(async (after, limit) => {
      const rows = ended.filter(({ ended_turn }) => ended_turn > after).slice(0, limit)
      read.push(rows.length)
      return rows
    })
    expect(await told(follower)).to.have.length(25_000)
    expect(await told(follower)).to.deep.equal([])
    ended.push({ ended_index: 30_000, ended_turn: 25_001 })
    expect(await told(follower)).to.deep.equal([30_000])
    expect(read).to.deep.equal([10_000, 10_000, 5_000, 0, 1])
  })
})

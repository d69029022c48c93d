import { expect } from 'chai'
import { every } from '../../src/kernel/every.ts'
import { pages, readAll } from '../../src/kernel/pages.ts'
import { quietly } from '../support/quietly.ts'

describe('pages', () => {
  const stored = [1, 2, 3, 4, 5]
  function reading() {
    const asked: (string | undefined)[] = []
    const read = async (cursor: string | undefined) => {
      asked.push(cursor)
      const from = Number(cursor ?? 0)
      const next = from + 2 < stored.length ? String(from + 2) : undefined
      return { items: stored.slice(from, from + 2), next }
    }
    return { asked, read }
  }

  it('are read one after the other, to the last, and none before it is asked for', async () => {
    const { asked, read } = reading()
    const found: number[] = []
    for await (const { items } of pages(read)) {
      expect(asked).to.have.length(found.length / 2 + 1)
      found.push(...items)
    }
    expect(found).to.deep.equal(stored)
    expect(asked).to.deep.equal([undefined, '2', '4'])
  })

  it('are read until there is as much as is asked for', async () => {
    const { asked, read } = reading()
    expect(await readAll(read, ({ items }) => items, 2)).to.deep.equal([1, 2])
    expect(asked).to.deep.equal([undefined])
    expect(await readAll(read, ({ items }) => items)).to.deep.equal(stored)
  })
})

describe('work that is done again and again', () => {
  it('says what fails once for each reason, and that it works again, and stops at once', async () => {
    const over = Promise.withResolvers<void>()
    const outcomes = ['a', 'a', 'b', undefined, undefined]
    let runs = 0
    const { stderr } = await quietly(async () => {
      const work = async () => {
        const outcome = outcomes[runs]
        runs += 1
        if (runs === outcomes.length) over.resolve()
        if (outcome !== undefined) throw new Error(outcome)
      }
      const says = { failing: 'it fails', again: 'it works again' }
      const stop = every(() => 1, work, { says })
      await over.promise.then(stop)
    })
    expect(runs).to.equal(5)
    expect(stderr).to.deep.equal(
      ['it fails: a', 'it fails: b', 'it works again'].map((line) => `audit: ${line}`),
    )
  })
})

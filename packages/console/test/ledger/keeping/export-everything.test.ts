import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { exportEverything } from '../../../src/ledger/keeping/export-everything.ts'
import { countedStatements } from '../../support/counted-statements.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { sealsOf } from '../sealing/seals-of.ts'
import { exported, idOf, issued, many, put, started, T, used } from '../stores/contract/support.ts'

async function linesOf(parts: AsyncIterable<string>) {
  const all = await text(parts)
  expect(all).to.match(/^[ -~\n]*\n$/)
  return all
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('the export for verification', () => {
  it('has entries in their order, each sum behind its last entry, the seals, and how many', async () => {
    const store = memoryAudit()
    const seals = sealsOf(store)
    await put(store, issued('a', T), issued('b', T), exported(T))
    await seals.seal()
    await put(store, started('a', T + 1))
    const lines = await linesOf(exportEverything(store, seals))
    expect(lines.map((line) => Object.keys(line)[0])).to.deep.equal([
      ...['entry', 'entry', 'impersonation', 'entry', 'entry', 'impersonation'],
      ...['seal', 'seal', 'seal', 'end'],
    ])
    expect(lines.at(-1)).to.deep.equal({ end: { entries: 4, seals: 3 } })
    expect(lines[2]?.impersonation).to.include({ id: idOf('b') })
  })

  it('asks for entries and sums by the page, and for none by itself', async () => {
    const store = memoryAudit()
    const seals = sealsOf(store)
    const names = many(200, (index) => `${index}`)
    await put(store, ...names.flatMap((name) => [issued(name, T), used(name, T + 1)]))
    const few = await countedStatements.sqlite(() => linesOf(exportEverything(store, seals)))
    const more = names.map((name) => issued(`more ${name}`, T))
    await put(store, ...more)
    const all = await countedStatements.sqlite(() => linesOf(exportEverything(store, seals)))
    expect(all - few).to.be.at.most(2)
  })
})

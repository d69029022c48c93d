import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt } from 'jose'
import { verify } from '../../src/verify/verification.ts'
import { changed, type ExportedEntry, isCheckpoint } from './history.ts'
import { broken, type Exported, exportedHistory, provider } from './tampering.ts'

describe('verify finds a file', () => {
  let exported: Exported
  let lines: string[]
  let entries: ExportedEntry[]
  let elsewhere: Exported['elsewhere']

  before(async () => {
    exported = await exportedHistory()
    ;({ lines, entries, elsewhere } = exported)
  })
  after(() => exported.dispose())

  it('without the last entries of a chain', async () => {
    const index = entries.findLastIndex(({ writer }) => writer === entries[0]?.writer)
    const { writer, sequence } = entries[index] ?? expect.fail()
    const { told, ...place } = await broken(changed(lines, (all) => all.toSpliced(index, 1)))
    expect(place).to.deep.equal({ writer, sequence })
    expect(told).to.contain('it is missing, and all after it: the checkpoint of ')
  })

  it('without a whole chain', async () => {
    const writer = entries[0]?.writer
    const without = changed(lines, (all) => all.filter((entry) => entry.writer !== writer))
    expect(await broken(without)).to.include({ writer, sequence: 1 })
  })

  it('that ends before its checkpoint, or in the middle of a line', async () => {
    const told = 'the file does not end with a checkpoint: it is cut off'
    const short = lines.filter((line) => !isCheckpoint(line))
    expect(await broken(short)).to.deep.equal({ told, line: short.length })
    expect(await broken([])).to.deep.equal({ told, line: 0 })
    const text = lines.join('\n')
    async function* read() {
      yield text.slice(0, -20)
    }
    const keys = createLocalJWKSet({ keys: [provider.jwk] })
    const error = await verify({ read, keys }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('the line has no end: the file is cut off')
  })

  it('with an entry after its checkpoint', async () => {
    const [last = '', ...others] = lines.filter((line) => !isCheckpoint(line)).toReversed()
    const moved = [...others.toReversed(), ...lines.filter(isCheckpoint), last]
    expect(await broken(moved)).to.deep.equal({
      told: 'the file does not end with a checkpoint: it is cut off',
      line: lines.length,
    })
  })

  it('whose end was cut off, with an earlier checkpoint in place of the last', async () => {
    // Up to day 40: by itself it is whole, and says of which day it is.
    const [, day40 = ''] = lines.filter(isCheckpoint)
    const ends = heads(day40)
    const before = entries.filter((each) => each.sequence <= (ends.get(each.writer) ?? 0))
    const cut = [...before.map((each) => JSON.stringify(each)), day40]
    const { told, ...place } = await broken(cut, { kept: elsewhere })
    expect(told).to.contain('it is missing, and all after it')
    expect(place.sequence).to.equal(1)
  })

  it('with lines that are no entries', async () => {
    for (const line of ['', '{', '[]', 'null', '{"writer":"x"}', '{"checkpoint":1}']) {
      const found = await broken([...lines.slice(0, 2), line, ...lines.slice(2)])
      expect(found.line).to.equal(3)
      expect(found.told).to.match(/^this is no (entry|checkpoint)$/)
    }
  })

  it('with a line of many megabytes, without reading it to the end', async () => {
    let read = 0
    async function* endless() {
      for (; ; read += 1) yield 'x'.repeat(1_000_000)
    }
    const keys = createLocalJWKSet({ keys: [provider.jwk] })
    const error = await verify({ read: endless, keys }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('the line is too long')
    expect(read).to.be.below(10)
  })
})

function heads(line: string): Map<string, number> {
  const { checkpoint } = decodeJwt<{ checkpoint: { heads: ExportedEntry[] } }>(
    JSON.parse(line).checkpoint,
  )
  return new Map(checkpoint.heads.map(({ writer, sequence }) => [writer, sequence]))
}

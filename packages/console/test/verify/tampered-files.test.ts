import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt } from 'jose'
import { verify } from '../../../verify/src/verify/verification.ts'
import { changed, type ExportedEntry, isCheckpoint } from './history.ts'
import { broken, type Exported, exportedHistory, provider, resigned } from './tampering.ts'

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
    const found = await broken(without)
    expect(found.writer).to.equal(writer)
    expect(found.told).to.match(/^it is missing/)
  })

  it('that ends before its checkpoint, or in the middle of a line', async () => {
    const told = 'the file does not end with a checkpoint: it is cut off'
    const short = lines.filter((line) => !isCheckpoint(line))
    expect(await broken(short)).to.deep.equal({ told, line: short.length })
    expect(await broken([])).to.deep.equal({ told, line: 0 })
    const text = lines.join('\n')
    async function* read() {
      yield Buffer.from(text.slice(0, -20))
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
    // Up to day 40.
    const [, day40 = ''] = lines.filter(isCheckpoint)
    const ends = heads(day40)
    const before = entries.filter((each) => each.sequence <= (ends.get(each.writer) ?? 0))
    const cut = [...before.map((each) => JSON.stringify(each)), day40]
    const told = 'the last checkpoint is not that of an export'
    expect(await broken(cut)).to.deep.equal({ told, line: cut.length })
    // A part of it that the provider signed for another export is found by a later checkpoint.
    const early = await resigned(cut)
    expect((await broken(early, { kept: elsewhere })).told).to.contain(
      'it is missing, and all after it',
    )
  })

  it('of which a line was changed that no chain has', async () => {
    const told = 'the lines are not those that were exported: the signed SHA-256 differs'
    const recounted = lines.map((line) =>
      line.replace('"count":2,"lastTime"', '"count":3,"lastTime"'),
    )
    expect(recounted).not.to.deep.equal(lines)
    expect(await broken(recounted)).to.deep.equal({ told })
  })

  it('with a line that has a member twice, or is not as the export writes it', async () => {
    const index = lines.findIndex((line) => line.includes('impersonation.started'))
    const line = lines[index] ?? expect.fail()
    const { text } = JSON.parse(line)
    const forged = JSON.stringify(text.replace('alice', 'bobby'))
    const told = 'this line is not as the export writes it'
    for (const other of [
      line.replace('"text":', `"text":${forged},"text":`),
      line.replace('{', '{ '),
      line.replace('"writer"', '"\\u0077riter"'),
      `${line} `,
    ]) {
      expect(JSON.parse(other).text).to.equal(text)
      const found = await broken(lines.with(index, other))
      expect(found).to.deep.equal({ told, line: index + 1 })
    }
    for (const start of ['{"row":', '{"head":', '{"checkpoint":']) {
      const at = lines.findLastIndex((each) => each.startsWith(start))
      const twice = `${lines[at]?.slice(0, -1)},${lines[at]?.slice(1)}`
      expect(await broken(lines.with(at, twice)), start).to.deep.equal({ told, line: at + 1 })
    }
  })

  it('with a row that is there twice', async () => {
    const index = lines.findIndex((line) => line.startsWith('{"row":'))
    const line = lines[index] ?? expect.fail()
    const told = `the row of impersonation ${JSON.parse(line).row.id}: it is there twice`
    const found = await broken(lines.toSpliced(index, 0, line))
    expect(found).to.deep.equal({ told, line: index + 2 })
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
      for (; ; read += 1) yield Buffer.alloc(1_000_000, 'x')
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

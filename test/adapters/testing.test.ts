import { expect } from 'chai'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { adapterContract, runAdapterContract } from '../../src/adapters/testing.ts'
import { type Mutation, mutants } from './mutants.ts'

/** The memory adapter with some methods exchanged for wrong ones. */
async function failuresOf(mutate: Mutation, extra: { broken?: boolean } = {}): Promise<string[]> {
  let now = 1_700_000_000_000
  const create = () => {
    const factory = createMemoryAdapter({ now: () => now })
    return (model: string): SingleUseAdapter => {
      const sound = factory(model)
      const bound: SingleUseAdapter = {
        upsert: (...args) => sound.upsert(...args),
        find: (id) => sound.find(id),
        findByUid: (uid) => sound.findByUid(uid),
        findByUserCode: (code) => sound.findByUserCode(code),
        consume: (id) => sound.consume(id),
        consumeOnce: (id) => sound.consumeOnce(id),
        destroy: (id) => sound.destroy(id),
        revokeByGrantId: (grantId) => sound.revokeByGrantId(grantId),
      }
      return Object.assign(bound, mutate(sound, model))
    }
  }
  const report = await runAdapterContract({
    create,
    advance: (seconds) => {
      now += seconds * 1000
    },
    ...(extra.broken ? { createBroken: create } : {}),
    print: () => {},
  })
  return report.results.flatMap(({ title, outcome }) => (outcome === 'failed' ? [title] : []))
}

describe('the contract suite', () => {
  it('finds nothing wrong with a sound adapter', async () => {
    expect(await failuresOf(() => ({}))).to.deep.equal([])
  })

  for (const [mistake, [mutate, noticedBy]] of Object.entries(mutants)) {
    it(`notices ${mistake}`, async () => {
      expect((await failuresOf(mutate)).join('\n')).to.contain(noticedBy)
    })
  }

  it('notices each method that resolves although the storage fails', async () => {
    const failures = await failuresOf(() => ({}), { broken: true })
    expect(failures).to.have.length(9)
    expect(failures.every((title) => title.includes('rejects when the storage fails'))).to.equal(
      true,
    )
  })

  it('notices an adapter that one store serves for all models', async () => {
    const one = createMemoryAdapter()
    const report = await runAdapterContract({
      create: () => () => one('all'),
      advance: () => {},
      print: () => {},
    })
    const failed = report.results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ title }) => title).join('\n')).to.contain('under another model')
  })

  it('reports what passed, failed and was skipped, and cleans up after each case', async () => {
    const lines: string[] = []
    let [created, cleaned] = [0, 0]
    let now = Date.now()
    const { ok, results } = await runAdapterContract({
      create: () => {
        created += 1
        return createMemoryAdapter({ now: () => now })
      },
      cleanup: () => {
        cleaned += 1
      },
      advance: (seconds) => {
        now += seconds * 1000
      },
      print: (line) => lines.push(line),
    })
    expect(ok).to.equal(true)
    expect(results.filter(({ outcome }) => outcome === 'skipped')).to.have.length(10)
    expect(created)
      .to.equal(results.length - 10)
      .and.to.equal(cleaned)
    expect(lines.at(-1)).to.match(/^\d+ passed, 0 failed, 10 skipped$/)
    expect(lines.join('\n')).to.contain('(no createBroken)')
  })

  it('defines no test for a hook that is not given', () => {
    const titles: string[] = []
    adapterContract({
      describe: (_title, define) => define(),
      it: (title) => titles.push(title),
      create: () => createMemoryAdapter(),
    })
    expect(titles.length).to.be.greaterThan(40)
    expect(titles.join('\n')).not.to.contain('storage fails').and.not.to.contain('late clean-up')
  })
})

import { expect } from 'chai'
import { memoryAudit } from '../../support/memory-audit.ts'
import { contract, runCase } from './contract.ts'
import { permitMutants } from './mutants/permits.ts'
import { readingMutants } from './mutants/reading.ts'
import { removingMutants } from './mutants/removing.ts'
import type { Mutation } from './mutants/support.ts'
import { writingMutants } from './mutants/writing.ts'

/**
 * The titles of the cases that an audit in memory fails with some methods replaced by wrong ones: of those
 * whose title has the text.
 */
async function failuresOf(mutate: Mutation, text: string): Promise<string[]> {
  const failed: string[] = []
  const cases = Object.values(contract).flat()
  for (const each of cases.filter(({ title }) => title.includes(text))) {
    const sound = memoryAudit()
    const store = { ...sound, ...mutate(sound) }
    await runCase(each, () => ({ connect: () => store, dispose: async () => {} })).catch(() =>
      failed.push(each.title),
    )
  }
  return failed
}

describe('the contract of audit stores', function () {
  this.timeout(20_000)

  it('finds nothing wrong with a sound store', async () => {
    expect(await failuresOf(() => ({}), '')).to.deep.equal([])
  })

  for (const mutants of [writingMutants, readingMutants, removingMutants, permitMutants]) {
    for (const [mistake, [mutate, noticedBy]] of Object.entries(mutants)) {
      it(`notices ${mistake}`, async () => {
        expect(await failuresOf(mutate, noticedBy)).to.not.deep.equal([])
      })
    }
  }
})

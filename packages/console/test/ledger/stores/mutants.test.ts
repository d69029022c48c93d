import { expect } from 'chai'
import { memoryAudit } from '../../support/memory-audit.ts'
import { auditContract } from './contract/index.ts'
import { permitMutants } from './mutants/permits.ts'
import { readingMutants } from './mutants/reading.ts'
import { removingMutants } from './mutants/removing.ts'
import { schemaMutants } from './mutants/schema.ts'
import type { Mutation } from './mutants/support.ts'
import { writingMutants } from './mutants/writing.ts'

/**
 * The titles of the cases that an audit in memory fails with some methods replaced by wrong ones: of those
 * whose title has the text.
 */
async function failuresOf(mutate: Mutation, text: string): Promise<string[]> {
  const cases: { readonly title: string; run(): Promise<void> }[] = []
  auditContract({
    describe: (_group, define) => define(),
    it: (title, run) => cases.push({ title, run }),
    attacks: ['a change'],
    create() {
      const memory = memoryAudit()
      let isChanged = false
      const assertSchema = async () => {
        if (isChanged) throw Object.assign(new Error('changed'), { code: 'ERR_AUDIT_SCHEMA' })
      }
      const sound = { ...memory, open: assertSchema, assertSchema }
      const store = { ...sound, ...mutate(sound) }
      const attack = () => {
        isChanged = true
      }
      return { connect: () => store, dispose: () => {}, attack }
    },
  })
  const failed: string[] = []
  for (const { title, run } of cases.filter(({ title }) => title.includes(text))) {
    await run().catch(() => failed.push(title))
  }
  return failed
}

describe('the contract of audit stores', function () {
  this.timeout(20_000)

  it('finds nothing wrong with a sound store', async () => {
    expect(await failuresOf(() => ({}), '')).to.deep.equal([])
  })

  const all = [writingMutants, readingMutants, removingMutants, permitMutants, schemaMutants]
  for (const mutants of all) {
    for (const [mistake, [mutate, noticedBy]] of Object.entries(mutants)) {
      it(`notices ${mistake}`, async () => {
        expect(await failuresOf(mutate, noticedBy)).to.not.deep.equal([])
      })
    }
  }
})

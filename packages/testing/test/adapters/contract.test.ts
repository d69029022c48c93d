import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { EndingAdapter } from '../../../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../../../src/adapters/memory.ts'
import { withMembers } from '../../../../test/adapters/with-members.ts'
import {
  adapterContract,
  type ContractResult,
  runAdapterContract,
} from '../../src/adapters/index.ts'
import { type Mutation, mutants } from './mutants.ts'

const DOCUMENT = new URL('../../../../docs/adapters.md', import.meta.url)

/** The cases that fail of the memory adapter with some methods replaced by wrong ones. */
async function failedOf(
  mutate: Mutation,
  extra: { broken?: boolean; models?: readonly ['SubjectToken'] } = {},
): Promise<ContractResult[]> {
  let now = 1_700_000_000_000
  const create = () => {
    const factory = createMemoryAdapter({ now: () => now })
    return (model: string) => {
      const sound = factory(model) as EndingAdapter
      return withMembers(sound, mutate(sound))
    }
  }
  const report = await runAdapterContract({
    create,
    advance: (seconds) => {
      now += seconds * 1000
    },
    ...(extra.broken ? { createBroken: create } : {}),
    ...(extra.models ? { models: extra.models } : {}),
    print: () => {},
  })
  return report.results.filter(({ outcome }) => outcome === 'failed')
}

const titlesOf = (results: readonly ContractResult[]) => results.map(({ title }) => title)

describe('the contract suite', () => {
  it('finds nothing wrong with a sound adapter', async () => {
    expect(await failedOf(() => ({}))).to.deep.equal([])
  })

  for (const [mistake, [mutate, noticedBy]] of Object.entries(mutants)) {
    it(`notices ${mistake}`, async () => {
      expect(titlesOf(await failedOf(mutate)).join('\n')).to.contain(noticedBy)
    })
  }

  it('notices each method that resolves although the storage fails', async () => {
    const failures = titlesOf(await failedOf(() => ({}), { broken: true }))
    expect(failures).to.have.length(16)
    for (const title of failures) expect(title).to.include('rejects when the storage fails')
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
    let [created, cleaned, moved] = [0, 0, 0]
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
        moved += 1
        now += seconds * 1000
      },
      print: (line) => lines.push(line),
    })
    const page = await readFile(DOCUMENT, 'utf8')
    const [, number] = /Without it, (\w+) cases wait a second each/.exec(page) ?? []
    expect([moved, number]).to.deep.equal([9, 'nine'])
    expect(ok).to.equal(true)
    expect(results.filter(({ outcome }) => outcome === 'skipped')).to.have.length(17)
    expect(created)
      .to.equal(results.length - 17)
      .and.to.equal(cleaned)
    expect(lines.at(-1)).to.match(/^\d+ passed, 0 failed, 17 skipped$/)
    expect(lines.join('\n')).to.contain('(no createBroken)')
  })

  describe('of an adapter that cannot end impersonations', () => {
    const create = () => {
      const memory = createMemoryAdapter()
      return (model: string) => withMembers(memory(model), { list: undefined, endOnce: undefined })
    }
    const run = async (ending?: boolean) => {
      const lines: string[] = []
      const { ok, results } = await runAdapterContract({
        create,
        advance: () => {},
        ...(ending === undefined ? {} : { ending }),
        models: ['SubjectToken'],
        print: (line) => lines.push(line),
      })
      return { ok, results, text: lines.join('\n') }
    }

    it('skips what ends and lists, a part of the methods is as good as none, and says what is missing', async () => {
      const { results, text } = await run()
      expect(text).to.match(/^skipped {2}ending: .* \(no endOnce, list\)$/m)
      expect(text)
        .to.match(/^skipped {2}listing: /m)
        .and.match(/^skipped {2}ended indices: /m)
      const skipped = results.filter(({ missing }) => missing === 'endOnce, list')
      expect(skipped.length).to.be.greaterThan(20)
    })

    it('fails it where the adapter is said to, and leaves it out where it is said not to', async () => {
      const { ok, text } = await run(true)
      expect(ok).to.equal(false)
      expect(text).to.contain('AssertionError').and.contain('the adapter lacks endOnce, list')
      expect((await run(false)).text).to.not.match(/ending: |listing: |ended indices: /)
    })

    it("skips by the test framework's own means, mocha's or node:test's", async () => {
      const runs: Array<() => Promise<void>> = []
      adapterContract({
        describe: (title, define) => title === 'listing' && define(),
        it: (_title, run) => runs.push(run),
        create,
      })
      let skipped = 0
      const context = { skip: () => (skipped += 1) }
      for (const run of runs) await run.call(context)
      for (const run of runs) await Reflect.apply(run, undefined, [context])
      expect(skipped).to.equal(2 * runs.length)
      expect(runs.length).to.be.greaterThan(5)
      expect(
        runs.every(({ length }) => length === 0),
        'a parameter is a callback to mocha',
      ).to.equal(true)
    })
  })

  describe("of the model SubjectToken alone, { models: ['SubjectToken'] }", () => {
    const models = ['SubjectToken'] as const

    /** The calls of impersonation, and nothing else: every other model and look-up throws. */
    function beside() {
      let now = 1_700_000_000_000
      const memory = createMemoryAdapter({ now: () => now })
      const elsewhere = () => expect.fail('the adapter does not serve this')
      return {
        create: () => (model: string) => {
          if (model !== 'SubjectToken') expect.fail(`asked for ${model}`)
          return withMembers(memory(model), {
            findByUid: elsewhere,
            findByUserCode: elsewhere,
            revokeByGrantId: elsewhere,
          })
        },
        advance: (seconds: number) => {
          now += seconds * 1000
        },
        models,
      }
    }

    it('asks for nothing that impersonation does not need', async () => {
      const lines: string[] = []
      const hooks = { ...beside(), createBroken: beside().create }
      const { results } = await runAdapterContract({ ...hooks, print: (line) => lines.push(line) })
      expect(results.length).to.be.within(40, 65)
      const failed = results.filter(({ outcome }) => outcome === 'failed')
      // the "broken" adapter works, so exactly these cases fail
      expect(failed).to.have.length(11)
      for (const { title } of failed) expect(title).to.include('rejects when the storage fails')
      expect(lines.join('\n')).to.not.contain('AuthorizationCode').and.not.contain('Session')
    })

    it('refuses another list: there are two levels', async () => {
      for (const wrong of [[], ['Session'], ['SubjectToken', 'Session'], 'SubjectToken']) {
        const options = { create: () => createMemoryAdapter(), models: wrong, print: () => {} }
        // @ts-expect-error: plain JavaScript can pass it.
        const error = await runAdapterContract(options).catch((error) => error)
        expect(error).to.be.instanceOf(TypeError)
        expect(error.message).to.equal("models must be ['SubjectToken'], or absent for every model")
      }
    })
  })

  it('shows the type of what came back: text against a number, 1 against true', async () => {
    const messagesOf = async (mutate: Mutation) => {
      const failed = await failedOf(mutate, { models: ['SubjectToken'] })
      return failed.map(({ error }) => (error instanceof Error ? error.stack : '')).join('\n')
    }
    const one = await messagesOf((sound) => ({
      // @ts-expect-error: what SQL drivers answer.
      consumeOnce: async (id) => Number(await sound.consumeOnce(id)),
    }))
    expect(one).to.match(/0 !== false/)
    const text = await messagesOf((sound) => ({
      // @ts-expect-error: what some stores make of a boolean.
      consumeOnce: async (id) => String(await sound.consumeOnce(id)),
    }))
    expect(text).to.match(/'true' !== true/)
    expect(text).to.match(/"'true'": 1/)
  })
})

import { expect } from 'chai'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { adapterContract, runAdapterContract } from '../../src/adapters/testing.ts'

type Mutation = (adapter: SingleUseAdapter, model: string) => Partial<SingleUseAdapter>

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

/** Mistakes that adapters are known for, and a piece of the title of a case that must notice. */
const mutants: Record<string, [Mutation, string]> = {
  'consumeOnce that reads first and writes afterwards': [
    (sound) => ({
      async consumeOnce(id) {
        const found = await sound.find(id)
        if (!found || found.consumed) return false
        await sound.consume(id)
        return true
      },
    }),
    'exactly one of 50',
  ],
  'consumeOnce that always says true': [
    () => ({ consumeOnce: async () => true }),
    'claims nothing that is not there',
  ],
  'consumeOnce that marks nothing': [
    (sound) => ({ consumeOnce: async (id) => !(await sound.find(id))?.consumed }),
    'shows it as consumed afterwards',
  ],
  'consumeOnce that creates what is missing': [
    (sound) => ({
      async consumeOnce(id) {
        if (!(await sound.find(id))) await sound.upsert(id, { consumed: 1_700_000_000 })
        return sound.consumeOnce(id)
      },
    }),
    'neither brings an expired record back',
  ],
  'consume that resets the expiry': [
    (sound) => ({
      async consume(id) {
        const found = await sound.find(id)
        if (found) await sound.upsert(id, { ...found, consumed: 1_700_000_000 })
      },
    }),
    'neither brings an expired record back',
  ],
  'consume that writes milliseconds': [
    (sound) => ({
      async find(id) {
        const found = await sound.find(id)
        return found?.consumed ? { ...found, consumed: found.consumed * 1000 } : found
      },
    }),
    'stores, finds, replaces',
  ],
  'an adapter that ignores expiresIn': [
    (sound) => ({ upsert: (id, payload) => sound.upsert(id, payload) }),
    'forgets every kind of record',
  ],
  'an adapter that lets Clients expire': [
    (sound) => ({ upsert: (id, payload, ttl = 1) => sound.upsert(id, payload, ttl) }),
    'a Client never',
  ],
  'a find that hands out the stored object': [
    (sound) => {
      const kept = new Map<string, Awaited<ReturnType<SingleUseAdapter['find']>>>()
      return {
        upsert: async (id, payload, ttl) => {
          kept.set(id, payload)
          await sound.upsert(id, payload, ttl)
        },
        find: async (id) => ((await sound.find(id)) ? kept.get(id) : undefined),
      }
    },
    'is not changed by a caller',
  ],
  'revokeByGrantId that stops after a hundred': [
    (sound) => {
      const grants = new Map<string, string[]>()
      return {
        upsert: async (id, payload, ttl) => {
          const grantId = payload.grantId ?? ''
          grants.set(grantId, [...(grants.get(grantId) ?? []), id])
          await sound.upsert(id, payload, ttl)
        },
        revokeByGrantId: async (grantId) => {
          for (const id of (grants.get(grantId) ?? []).slice(0, 100)) await sound.destroy(id)
        },
      }
    },
    'however many',
  ],
  'findByUserCode that forgets the claim': [
    (sound) => ({
      async findByUserCode(code) {
        const { consumed: _, ...rest } = (await sound.findByUserCode(code)) ?? {}
        return Object.keys(rest).length ? rest : undefined
      },
    }),
    'finds a DeviceCode by its user code',
  ],
  'ids that ignore case': [
    (sound) => ({
      upsert: (id, payload, ttl) => sound.upsert(id.toLowerCase(), payload, ttl),
      find: (id) => sound.find(id.toLowerCase()),
      destroy: (id) => sound.destroy(id.toLowerCase()),
    }),
    'tells ids apart',
  ],
  'payloads that lose an own __proto__': [
    (sound) => ({
      async find(id) {
        const found = await sound.find(id)
        return (
          found && JSON.parse(JSON.stringify(found), (k, v) => (k === '__proto__' ? undefined : v))
        )
      },
    }),
    'unusual payloads',
  ],
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

import { expect } from 'chai'
import type { AdapterPayload } from 'oidc-provider'
import { checkStorage } from '../../src/adapters/check.ts'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { ImpersonationFeature, Provider, type ProviderConfiguration } from '../../src/index.ts'
import { createConsumer } from '../../src/tokens/single-use.ts'
import { configuration, enabled } from '../support/serving.ts'
import { expectRejection, rejection } from './servers.ts'
import { withMembers } from './with-members.ts'

const PREFIX = 'The storage adapter cannot keep subject tokens: '

/** A provider whose storage has other methods for subject tokens, and what is left there. */
function providerWith(
  mutate: (sound: SingleUseAdapter) => object,
  {
    issuer = 'https://id.example.com',
    ...options
  }: { issuer?: string; [name: string]: unknown } = {},
) {
  const stores = new Map<string, SingleUseAdapter>()
  const memory = createMemoryAdapter()
  const stored = new Map<string, string>()
  const adapter = (model: string) => {
    const sound = memory(model)
    const upsert = sound.upsert.bind(sound)
    sound.upsert = (id, payload, expiresIn) => {
      stored.set(id, model)
      return upsert(id, payload, expiresIn)
    }
    stores.set(model, sound)
    return withMembers(sound, mutate(sound))
  }
  const provider = new Provider(issuer, {
    ...configuration,
    adapter,
    features: { ...configuration.features, impersonation: { ...enabled, ...options } },
  } as ProviderConfiguration)
  const left = async () => {
    const found = [...stored].map(([id, model]) => stores.get(model)?.find(id))
    return (await Promise.all(found)).filter(Boolean)
  }
  return { provider, stored, left }
}

/** Changes what `find` resolves. */
const found =
  (change: (record: AdapterPayload) => object) =>
  (sound: SingleUseAdapter): object => ({
    find: async (id: string) => {
      const record = await sound.find(id)
      return record && change(record)
    },
  })

const broken: Record<string, [mutate: (sound: SingleUseAdapter) => object, sentence: RegExp]> = {
  'an adapter that stores nothing of the model': [
    () => ({ upsert: async () => {} }),
    /^find\(\) does not find .* has to serve the model SubjectToken\.$/,
  ],
  'an adapter that stores numbers as text': [
    found((record) => ({ ...record, exp: String(record.exp) })),
    /^find\(\) resolves exp as string '\d{10}' where upsert\(\) was given number \d{10}\.$/,
  ],
  'consumeOnce that lets all win': [
    () => ({ consumeOnce: async () => true }),
    /^consumeOnce\(\) resolved true for 20 of 20 callers at once, and it has to for exactly one\.$/,
  ],
  'consumeOnce that answers 1': [
    () => ({ consumeOnce: async () => 1 }),
    /^consumeOnce\(\) has to resolve true or false, and resolved something else\.$/,
  ],
  'an adapter that says consumed as text': [
    found((record) => (record.consumed ? { ...record, consumed: 'yes' } : record)),
    /^find\(\) resolves consumed as string 'yes' for a record that was consumed, and it has to be a number\.$/,
  ],
  'destroy that does nothing': [
    () => ({ destroy: async () => {} }),
    /^destroy\(\) leaves the record where find\(\) finds it\.$/,
  ],
  'endOnce that lets all win': [
    () => ({ endOnce: async () => true }),
    /^endOnce\(\) resolved true for 20 of 20 callers at once, and it has to for exactly one\.$/,
  ],
  'an adapter that loses the end': [
    found(({ end: _, ...record }) => record),
    /^find\(\) does not resolve the end that endOnce\(\) was given\.$/,
  ],
  'a list that is empty': [
    () => ({ list: async () => [] }),
    /^list\(\) does not resolve a record once that upsert\(\) has stored\.$/,
  ],
  'ended indices that are not kept': [
    () => ({ endedIndices: async () => [] }),
    /^endedIndices\(\) resolves object \[\] for a list in which 7 has ended\.$/,
  ],
}

describe('provider.impersonation.check()', () => {
  it('resolves with a sound adapter, and leaves nothing in the store', async () => {
    const { provider, stored, left } = providerWith(() => ({}))
    await provider.impersonation.check()
    expect([...stored.values()]).to.deep.equal(['SubjectToken'])
    expect(await left()).to.deep.equal([])
  })

  for (const [what, [mutate, sentence]] of Object.entries(broken)) {
    it(`says in one sentence what is wrong with ${what}`, async () => {
      const { provider, left } = providerWith(mutate)
      const { message } = await rejection(provider.impersonation.check())
      expect(message.slice(0, PREFIX.length)).to.equal(PREFIX)
      expect(message.slice(PREFIX.length)).to.match(sentence)
      if (what !== 'destroy that does nothing') expect(await left()).to.deep.equal([])
    })
  }

  it('keeps what a method rejects with as the cause, and says that a storage cannot be reached', async () => {
    const cause = Object.assign(new Error('the reason of the storage'), { code: '' })
    const { provider } = providerWith(() => ({ find: () => Promise.reject(cause) }))
    for (const [code, sentence] of [
      ['42P01', 'find() rejects for a SubjectToken record.'],
      ['ECONNREFUSED', 'it cannot be reached (ECONNREFUSED).'],
    ] as const) {
      cause.code = code
      const error = await rejection(provider.impersonation.check())
      expect(error).to.include({ message: PREFIX + sentence, cause })
    }
  })

  it('says that the storage does not answer, rather than to wait for ever', async () => {
    const find = () => new Promise(() => {})
    const adapter = withMembers(createMemoryAdapter()('SubjectToken'), { find })
    const error = await rejection(checkStorage(adapter, createConsumer(adapter, 'adapter'), 50))
    expect(error.message).to.equal(`${PREFIX}find() does not answer within 50 ms.`)
  })

  it("says what the adapter's own check() says", async () => {
    const info = 'aof_enabled:0\r\nmaxmemory_policy:noeviction\r\n'
    const client = async ([command]: string[]) => (command === 'INFO' ? info : null)
    const adapter = createRedisAdapter({ client, requirePersistence: true })('SubjectToken')
    await expectRejection(
      checkStorage(adapter, async () => true),
      /subject tokens: createRedisAdapter: requirePersistence: .*always\.$/,
    )
  })

  it('looks behind the guard in the process, too', async () => {
    const options = { subjectToken: { singleUse: 'per-process' } }
    await providerWith(() => ({ consumeOnce: undefined }), options).provider.impersonation.check()
    const loses = () => ({ consumeOnce: undefined, consume: async () => {} })
    const { provider } = providerWith(loses, options)
    await expectRejection(provider.impersonation.check(), 'find() resolves consumed as undefined')
  })

  it('comes after register(provider), and asks nothing where impersonation is off', async () => {
    await expectRejection(new ImpersonationFeature(enabled).check(), TypeError)
    await new ImpersonationFeature({ enabled: false }).check()
  })
})

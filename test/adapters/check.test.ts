import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { checkStorage } from '../../src/adapters/check.ts'
import { hasEnding, type SingleUseAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { isDevelopmentAdapter } from '../../src/host/instance.ts'
import { ImpersonationFeature, Provider, type ProviderConfiguration } from '../../src/index.ts'
import { createConsumer } from '../../src/tokens/single-use.ts'
import { configuration, enabled } from '../support/serving.ts'
import { endingMutants } from './ending-mutants.ts'
import { mutants } from './mutants.ts'
import { freePort, rejection } from './servers.ts'
import { withMembers } from './with-members.ts'

const PREFIX = 'The storage adapter cannot keep subject tokens: '

function providerOn(adapter: unknown, subjectToken: object = {}): Provider {
  return new Provider('https://id.example.com', {
    ...configuration,
    adapter,
    features: { ...configuration.features, impersonation: { ...enabled, subjectToken } },
  } as ProviderConfiguration)
}

type Mutate = (sound: SingleUseAdapter) => object

/** A mistake that the contract suite knows. */
function known(mistake: string): Mutate {
  const [mutate] = mutants[mistake] ?? expect.fail(mistake)
  return (sound) => mutate(sound, 'SubjectToken')
}

/** A mistake that the contract suite knows, of those about seeing and ending. */
function knownOfEnding(mistake: string): Mutate {
  const [mutate] = endingMutants[mistake] ?? expect.fail(mistake)
  return (sound) => (hasEnding(sound) ? mutate(sound) : expect.fail('no ending'))
}

/** The memory adapter with methods exchanged, and which ids were written to it. */
function storage(mutate: Mutate) {
  const memory = createMemoryAdapter()
  const written = new Set<string>()
  return {
    adapter: (model: string) => {
      const sound = memory(model)
      const upsert = sound.upsert.bind(sound)
      sound.upsert = (id, payload, expiresIn) => {
        if (model === 'SubjectToken') written.add(id)
        return upsert(id, payload, expiresIn)
      }
      return withMembers(sound, mutate(sound))
    },
    async left(): Promise<string[]> {
      const found = await Promise.all(
        [...written].map(async (id) => ((await memory('SubjectToken').find(id)) ? [id] : [])),
      )
      return found.flat()
    },
    written,
  }
}

const broken: Record<string, [mutate: Mutate, sentence: RegExp]> = {
  'an adapter that does not know the model': [
    () => ({ upsert: () => Promise.reject(new Error('no table for SubjectToken')) }),
    /^upsert\(\) rejects for a SubjectToken record\.$/,
  ],
  'an adapter that silently stores nothing of the model': [
    () => ({ upsert: async () => {} }),
    /^find\(\) does not find .* has to serve the model SubjectToken\.$/,
  ],
  'an adapter that stores numbers as text': [
    (sound) => ({
      find: async (id: string) => {
        const found = await sound.find(id)
        return found && { ...found, exp: String(found.exp) }
      },
    }),
    /^find\(\) resolves exp as string '\d{10}' where upsert\(\) was given number \d{10}\.$/,
  ],
  'an adapter that drops a member': [
    (sound) => ({
      find: async (id: string) => {
        const { context: _, ...found } = (await sound.find(id)) ?? {}
        return found
      },
    }),
    /^find\(\) resolves context as undefined undefined where upsert\(\) was given string/,
  ],
  'consumeOnce that lets several win': [
    known('consumeOnce that reads first and writes afterwards'),
    /^consumeOnce\(\) resolved true for 20 of 20 callers at once, and it has to for exactly one\.$/,
  ],
  'consumeOnce that answers 1': [
    (sound) => ({ consumeOnce: async (id: string) => Number(await sound.consumeOnce(id)) }),
    /^consumeOnce\(\) has to resolve true or false, and resolved something else\.$/,
  ],
  'an adapter that says consumed as text': [
    (sound) => ({
      find: async (id: string) => {
        const found = await sound.find(id)
        return found?.consumed ? { ...found, consumed: String(found.consumed) } : found
      },
    }),
    /^find\(\) resolves consumed as string '\d{10}' for a record that was consumed, and it has to be a number\.$/,
  ],
  'destroy that does nothing': [
    () => ({ destroy: async () => {} }),
    /^destroy\(\) leaves the record where find\(\) finds it\.$/,
  ],
  'endOnce that lets several win': [
    knownOfEnding('endOnce that reads first and writes afterwards'),
    /^endOnce\(\) resolved true for 20 of 20 callers at once, and it has to for exactly one\.$/,
  ],
  'an adapter that loses the end': [
    knownOfEnding('a find that forgets the end'),
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

describe('provider.impersonation.check()', function () {
  this.timeout(30_000)

  it('resolves with a sound adapter, and leaves nothing in the store', async () => {
    const { adapter, left, written } = storage(() => ({}))
    await providerOn(adapter).impersonation.check()
    expect(written.size).to.equal(1)
    expect(await left()).to.deep.equal([])
  })

  for (const [what, [mutate, sentence]] of Object.entries(broken)) {
    it(`says in one sentence what is wrong with ${what}`, async () => {
      const { adapter, left } = storage(mutate)
      const error = await rejection(providerOn(adapter).impersonation.check())
      expect(error.message.startsWith(PREFIX), error.message).to.equal(true)
      expect(error.message.slice(PREFIX.length)).to.match(sentence)
      expect(error.message.slice(0, -1)).to.not.match(/\. |\n/)
      if (what !== 'destroy that does nothing') expect(await left()).to.deep.equal([])
    })
  }

  for (const method of ['upsert', 'find', 'consumeOnce', 'destroy'] as const) {
    it(`keeps what ${method} rejects with as the cause`, async () => {
      const cause = new Error('the reason of the storage')
      const { adapter, left } = storage(() => ({ [method]: () => Promise.reject(cause) }))
      const error = await rejection(providerOn(adapter).impersonation.check())
      expect(error.message).to.equal(`${PREFIX}${method}() rejects for a SubjectToken record.`)
      expect(error.cause).to.equal(cause)
      if (method !== 'destroy') expect(await left()).to.deep.equal([])
    })
  }

  it('says that the storage cannot be reached', async () => {
    const port = await freePort()
    const refused = Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), {
      code: 'ECONNREFUSED',
    })
    const adapter = createRedisAdapter({ client: () => Promise.reject(refused) })
    const error = await rejection(providerOn(adapter).impersonation.check())
    expect(error.message).to.equal(`${PREFIX}it cannot be reached (ECONNREFUSED).`)
    expect(error.cause).to.include({ code: 'ECONNREFUSED' })
  })

  it('says that the storage does not answer, rather than to wait for ever', async () => {
    const adapter: Adapter = withMembers(createMemoryAdapter()('SubjectToken'), {
      find: () => new Promise(() => {}),
    })
    const error = await rejection(checkStorage(adapter, createConsumer(adapter, 'adapter'), 50))
    expect(error.message).to.equal(`${PREFIX}find() does not answer within 50 ms.`)
  })

  it("says what the adapter's own check() says", async () => {
    const info = 'aof_enabled:0\r\nmaxmemory_policy:noeviction\r\n'
    const client = async ([command]: string[]) => (command === 'INFO' ? info : null)
    const adapter = createRedisAdapter({ client, requirePersistence: true })
    const { message, cause } = await rejection(providerOn(adapter).impersonation.check())
    expect(message).to.match(/subject tokens: createRedisAdapter: requirePersistence: .*always\.$/)
    expect(cause).to.be.instanceOf(Error)
  })

  it("takes oidc-provider's own in-memory adapter, and a guard in the process", async () => {
    const development = providerOn(undefined)
    expect(isDevelopmentAdapter(development.AccessToken.adapter)).to.equal(true)
    await development.impersonation.check()
    const { adapter, left } = storage(() => ({ consumeOnce: undefined }))
    await providerOn(adapter, { singleUse: 'per-process' }).impersonation.check()
    expect(await left()).to.deep.equal([])
  })

  it('finds an adapter that loses consumed behind the guard in the process too', async () => {
    const { adapter } = storage(() => ({ consumeOnce: undefined, consume: async () => {} }))
    const provider = providerOn(adapter, { singleUse: 'per-process' })
    const { message } = await rejection(provider.impersonation.check())
    expect(message).to.contain('find() resolves consumed as undefined')
  })

  it('emits no event, and asks for nothing but SubjectToken', async () => {
    const models = new Set<string>()
    const memory = createMemoryAdapter()
    const provider = providerOn((model: string) =>
      withMembers(memory(model), {
        async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
          models.add(model)
          await memory(model).upsert(id, payload, expiresIn)
        },
      }),
    )
    const emitted: unknown[] = []
    const { emit } = provider
    provider.emit = (name: string, ...args: never[]) => {
      emitted.push(name)
      return Reflect.apply(emit, provider, [name, ...args])
    }
    await provider.impersonation.check()
    expect(emitted).to.deep.equal([])
    expect([...models]).to.deep.equal(['SubjectToken'])
  })

  describe('tells of the address', () => {
    const ABOUT_ADDRESS: readonly string[] = ['discovery', 'status_lists']

    /** What is not ok at an issuer where these paths are answered. */
    async function toDoAt(
      path: string,
      answers: Readonly<Record<string, (issuer: string) => unknown>>,
      ending?: boolean,
    ): Promise<string[]> {
      const server = createServer((request, response) => {
        const body = answers[request.url ?? '']?.(`http://${request.headers.host}${path}`)
        response.statusCode = body ? 200 : 404
        response.end(body ? JSON.stringify(body) : 'Not Found')
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const issuer = `http://127.0.0.1:${port}${path}`
      const provider = new Provider(issuer, {
        ...configuration,
        features: {
          ...configuration.features,
          impersonation: { ...enabled, ending: { enabled: ending } },
        },
        adapter: createMemoryAdapter(),
      })
      const toDo = async () =>
        (await provider.impersonation.check()).flatMap(({ id, ok, message }) =>
          ok || !ABOUT_ADDRESS.includes(id) ? [] : [`${id}: ${message}`],
        )
      try {
        return await toDo()
      } finally {
        server.close()
        server.closeAllConnections()
        expect(await toDo(), 'nothing answers: the server may start later').to.deep.equal([])
      }
    }
    const discovery = {
      '/oidc/.well-known/openid-configuration': (issuer: string) => ({ issuer }),
    }

    it('where something else than its discovery document answers at the issuer', async () => {
      const [toDo, ...more] = await toDoAt('/elsewhere', discovery)
      expect(toDo).to.match(
        /^discovery: mount the provider at .*: http:.*\/elsewhere\/\S+ answers 404/,
      )
      expect(more).to.deep.equal([])
    })

    it('where a proxy keeps its status lists back', async () => {
      const [toDo, ...more] = await toDoAt('/oidc', discovery)
      expect(toDo).to.match(/^status_lists: let the proxy pass .*\/oidc\/status-lists answers 404/)
      expect(more).to.deep.equal([])
    })

    it('not where all is well, nor of lists where it serves none', async () => {
      const lists = { '/oidc/status-lists': () => ({ status_lists: [] }) }
      expect(await toDoAt('/oidc', { ...discovery, ...lists })).to.deep.equal([])
      expect(await toDoAt('/oidc', discovery, false)).to.deep.equal([])
    })
  })

  it('comes after register(provider), and asks nothing where impersonation is off', async () => {
    expect(await rejection(new ImpersonationFeature(enabled).check())).to.be.instanceOf(TypeError)
    await new ImpersonationFeature({ enabled: false }).check()
  })
})

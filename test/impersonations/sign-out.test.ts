import { expect } from 'chai'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withSubjectTokens } from '../../src/index.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn, signOutOfProvider } from '../support/sign-in.ts'
import { expectState, hasEnded, until } from './recorded-endings.ts'

type Source = NonNullable<NonNullable<DeploymentOptions['configuration']>['adapter']>

const memoryOf = () => {
  const memory = createMemoryAdapter()
  return (model: string) => memory(model) as EndingAdapter
}

/** An adapter that is a class, and whose methods insist on their own `this`. */
function privateClass() {
  const memory = memoryOf()
  const methods = ['upsert', 'find', 'findByUid', 'findByUserCode', 'consume', 'destroy'] as const
  class PrivateAdapter {
    readonly #target: EndingAdapter
    constructor(model: string) {
      this.#target = memory(model)
    }
    static {
      for (const name of [...methods, 'revokeByGrantId'] as const) {
        Object.assign(PrivateAdapter.prototype, {
          [name](this: PrivateAdapter, ...args: unknown[]) {
            return Reflect.apply(this.#target[name], this.#target, args)
          },
        })
      }
    }
  }
  return PrivateAdapter as new (
    model: string,
  ) => PrivateAdapter & Adapter
}

const SOURCES: Record<string, () => Source> = {
  'a class whose methods use private members': () =>
    withSubjectTokens(privateClass(), createMemoryAdapter()),
  'frozen objects': () => {
    const memory = memoryOf()
    return (model) => Object.freeze({ ...memory(model) })
  },
}

const revoke = (deployment: Deployment, token: string | undefined) =>
  deployment.post('/oidc/token/revocation', { token: String(token), client_id: 'console' })

type Operator = Awaited<ReturnType<typeof acting>>

/** Olivia acts as alice. */
async function acting(deployment: Deployment) {
  const tokens = await signIn(deployment, 'olivia', { scope: 'openid offline_access' })
  const actor_token = tokens.access_token
  await deployment.impersonate({ actor_token })
  const { grantId = '' } = (await deployment.provider.AccessToken.find(actor_token)) ?? {}
  return { tokens, grantId }
}

describe('an operator whose grant is destroyed acts no more, whatever the adapter is', () => {
  for (const [what, source] of Object.entries(SOURCES)) {
    it(`${what}: by the revocation endpoint, by destroy() and by the provider's adapter`, async () => {
      for (const end of [
        (deployment: Deployment, { tokens }: Operator) => revoke(deployment, tokens.refresh_token),
        async ({ provider }: Deployment, { grantId }: Operator) =>
          (await provider.Grant.find(grantId))?.destroy(),
        ({ provider }: Deployment, { grantId }: Operator) =>
          provider.Grant.adapter.destroy(grantId),
      ]) {
        await using deployment = await deploy({ adapter: source() })
        const operator = await acting(deployment)
        await end(deployment, operator)
        const { state, end: shown } = await hasEnded(deployment)
        expect(state).to.equal('ended')
        expect(shown).to.deep.include({ cause: 'operator_signed_out', by: { sub: 'olivia' } })
        expect(await deployment.provider.Grant.find(operator.grantId)).to.equal(undefined)
      }
    })
  }

  it('one object for two providers: each ends what runs with it, and looks once', async () => {
    const memory = memoryOf()
    const objects = new Map<string, EndingAdapter>()
    const asked: string[] = []
    const adapter = (model: string) => {
      const object = objects.get(model) ?? { ...memory(model) }
      objects.set(model, object)
      return object
    }
    const grants = adapter('Grant')
    for (const name of ['find', 'destroy'] as const) {
      const method: (id: string) => Promise<unknown> = grants[name]
      Object.assign(grants, {
        [name]: (id: string) => {
          asked.push(`${name} ${id}`)
          return method(id)
        },
      })
    }
    await using one = await deploy({ adapter })
    await using other = await deploy({ adapter })
    const { grantId } = await acting(one)
    await acting(other)
    asked.length = 0
    await one.provider.Grant.adapter.destroy(grantId)
    expect(asked.filter((call) => call.endsWith(grantId))).to.deep.equal([
      `find ${grantId}`,
      `destroy ${grantId}`,
    ])
    expect((await hasEnded(one)).state).to.equal('ended')
    await expectState(other, 'active')
  })

  it('the revocation policy keeps the grant: a revocation ends nothing, a sign-out does', async () => {
    await using deployment = await deploy({ configuration: { revokeGrantPolicy: () => false } })
    const { tokens, grantId } = await acting(deployment)
    await expectAnswer(revoke(deployment, tokens.refresh_token), 200)
    await expectState(deployment, 'active')
    await signOutOfProvider(deployment, tokens)
    expect((await hasEnded(deployment)).state).to.equal('ended')
    expect(await deployment.provider.Grant.find(grantId)).to.not.equal(undefined)
  })
})

describe('I12: the look at a grant before it is destroyed', () => {
  type Find = (id: string) => Promise<AdapterPayload | undefined>

  /** A deployment in which the provider's look at grants can be replaced. */
  async function looking() {
    const memory = memoryOf()
    const look: { find: Find | undefined } = { find: undefined }
    const stored: string[] = []
    const adapter = (model: string) => {
      const methods = { ...memory(model) }
      const upsert: Adapter['upsert'] = (id, ...rest) => {
        stored.push(id.replace(/:.*/, ''))
        return methods.upsert(id, ...rest)
      }
      if (model !== 'Grant') return { ...methods, upsert }
      return { ...methods, find: (id: string) => (look.find ?? methods.find)(id) }
    }
    const deployment = await deploy({ adapter })
    return { deployment, look, stored, grants: memory('Grant') }
  }

  const finds: Record<string, Find> = {
    rejects: () => Promise.reject(new Error('the storage failed')),
    throws: () => {
      throw new Error('the storage failed')
    },
    'never answers': () => new Promise(() => {}),
  }
  for (const [what, find] of Object.entries(finds)) {
    it(`never stops that it is destroyed: it ${what}`, async () => {
      const { deployment, look, grants } = await looking()
      const { tokens, grantId } = await acting(deployment)
      look.find = find
      await expectAnswer(revoke(deployment, tokens.refresh_token), 200)
      expect(await grants.find(grantId)).to.equal(undefined)
      await deployment.close()
    })
  }

  it('counts for nothing where it finds the record of another model', async () => {
    const { deployment, look, stored, grants } = await looking()
    const { grantId } = await acting(deployment)
    const record = await grants.find(grantId)
    look.find = async () => ({ ...record, kind: 'Session' })
    await deployment.provider.Grant.adapter.destroy(grantId)
    expect(stored).to.not.include('mark')
    look.find = async () => record
    await deployment.provider.Grant.adapter.destroy(grantId)
    await until(
      async () => stored,
      (ids) => ids.includes('mark'),
    )
    expect(stored).to.include('mark')
    await deployment.close()
  })

  it('leaves the deployment its adapter: its own destroy, its class and its members', async () => {
    const source = privateClass()
    const made: object[] = []
    class Counted extends source {
      readonly name: string
      constructor(model: string) {
        super(model)
        this.name = model
        made.push(this)
      }
    }
    const adapter = withSubjectTokens(Counted, createMemoryAdapter())
    await using deployment = await deploy({ adapter })
    const { Grant } = deployment.provider
    expect(Grant.adapter).to.be.instanceOf(Counted)
    expect(Grant.adapter).to.equal(Grant.adapter).and.equal(new Grant().adapter)
    expect([Reflect.get(Grant.adapter, 'name'), 'find' in Grant.adapter]).to.deep.equal([
      'Grant',
      true,
    ])
    expect(Grant.adapter.constructor).to.equal(Counted)
    expect(made.filter((each) => Reflect.get(each, 'name') === 'Grant')).to.have.length(1)
    expect(made.some((each) => Object.hasOwn(each, 'destroy'))).to.equal(false)
  })
})

import { expect } from 'chai'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withSubjectTokens } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

class Records implements Adapter {
  protected readonly records: SingleUseAdapter

  constructor(records: SingleUseAdapter) {
    this.records = records
  }

  upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    return this.records.upsert(id, payload, expiresIn)
  }
  find(id: string) {
    return this.records.find(id)
  }
  findByUid(uid: string) {
    return this.records.findByUid(uid)
  }
  findByUserCode(userCode: string) {
    return this.records.findByUserCode(userCode)
  }
  consume(id: string) {
    return this.records.consume(id)
  }
  destroy(id: string) {
    return this.records.destroy(id)
  }
  revokeByGrantId(grantId: string) {
    return this.records.revokeByGrantId(grantId)
  }
}

class SingleUse extends Records {
  constructor(model: string) {
    super(createMemoryAdapter()(model))
  }

  consumeOnce(id: string) {
    return this.records.consumeOnce(id)
  }
}

/** A community adapter: a class with a fixed list of models, without `consumeOnce`. */
function communityAdapter() {
  const memory = createMemoryAdapter()
  const models: string[] = []
  class CommunityAdapter extends Records {
    constructor(model: string) {
      if (model === 'SubjectToken') throw new Error('no such model: SubjectToken')
      models.push(model)
      super(memory(model))
    }
  }
  return { CommunityAdapter, models }
}

const asWritten = {
  'a class': (Theirs: new (model: string) => Adapter) => Theirs,
  'an arrow function': (Theirs: new (model: string) => Adapter) => (model: string) =>
    new Theirs(model),
  'a function that can be called with new': (Theirs: new (model: string) => Adapter) =>
    function factory(model: string): Adapter {
      return new Theirs(model)
    },
}

describe('withSubjectTokens(theirs, ours)', () => {
  for (const [kind, write] of Object.entries(asWritten)) {
    it(`theirs as ${kind}: one redemption, and it never hears of subject tokens`, async () => {
      const { CommunityAdapter, models } = communityAdapter()
      const ours: string[] = []
      const memory = createMemoryAdapter()
      const adapter = withSubjectTokens(write(CommunityAdapter), (model) => {
        ours.push(model)
        return memory(model)
      })
      await using deployment = await deploy({ configuration: { adapter } })
      const operator = await signIn(deployment, 'olivia', { scope: 'openid' })
      const subject_token = await deployment.subjectToken()
      const form = { subject_token, actor_token: operator.access_token }
      expect((await deployment.exchange(form)).status).to.equal(200)
      expect((await deployment.exchange(form)).body).to.deep.equal(REFUSED)
      expect(new Set(ours)).to.deep.equal(new Set(['SubjectToken']))
      expect(models).to.include.members(['Session', 'Grant', 'AuthorizationCode', 'AccessToken'])
    })
  }

  it('takes ours as a class too', async () => {
    const { CommunityAdapter } = communityAdapter()
    const adapter = withSubjectTokens(CommunityAdapter, SingleUse)
    await using deployment = await deploy({ configuration: { adapter } })
    const subject_token = await deployment.subjectToken()
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
  })

  it('hands out the very adapter of theirs, so that replay detection stays as it was', async () => {
    const { CommunityAdapter } = communityAdapter()
    const adapter = withSubjectTokens(CommunityAdapter, createMemoryAdapter())
    await using deployment = await deploy({ configuration: { adapter } })
    const { ReplayDetection } = deployment.provider
    expect(ReplayDetection.adapter).to.be.instanceOf(CommunityAdapter)
    const exp = Math.floor(Date.now() / 1000) + 60
    const answers = [
      await ReplayDetection.unique('client', 'proof', exp),
      await ReplayDetection.unique('client', 'proof', exp),
    ]
    expect(answers).to.deep.equal([true, false])
  })

  it('refuses at start what oidc-provider would refuse, and says what to pass', () => {
    const memory = createMemoryAdapter()
    // @ts-expect-error: plain JavaScript can pass it, for instance configuration.adapter that is absent.
    expect(() => withSubjectTokens(undefined, memory)).to.throw(TypeError, 'set adapter to ours')
    for (const wrong of [null, {}, 'redis', async () => memory('SubjectToken')]) {
      // @ts-expect-error: none of them makes an adapter.
      expect(() => withSubjectTokens(wrong, memory)).to.throw(TypeError, 'theirs must be a class')
      // @ts-expect-error: the same for the other.
      expect(() => withSubjectTokens(memory, wrong)).to.throw(TypeError, 'ours must be a class')
    }
  })
})

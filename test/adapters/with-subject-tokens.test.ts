import { expect } from 'chai'
import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withSubjectTokens } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'
import { withMembers } from './with-members.ts'

/** A community adapter: a class with a fixed list of models, without `consumeOnce`. */
function communityAdapter() {
  const memory = createMemoryAdapter()
  const made = new Map<string, Adapter>()
  function CommunityAdapter(model: string): Adapter {
    if (model === 'SubjectToken') throw new Error('no such model: SubjectToken')
    const adapter = withMembers(memory(model), { consumeOnce: undefined })
    made.set(model, adapter)
    return adapter
  }
  class CommunityClass {
    constructor(model: string) {
      // biome-ignore lint/correctness/noConstructorReturn: it stands for the adapter.
      return CommunityAdapter(model)
    }
  }
  return {
    made,
    'a class': CommunityClass as unknown as new (model: string) => Adapter,
    'an arrow function': (model: string) => CommunityAdapter(model),
    'a function that can be called with new': CommunityAdapter,
  }
}

describe('withSubjectTokens(theirs, ours)', () => {
  for (const [kind, isOursClass] of [
    ['a class', true],
    ['an arrow function', false],
    ['a function that can be called with new', false],
  ] as const) {
    it(`theirs as ${kind}, ours as ${isOursClass ? 'a class' : 'a function'}: one redemption, and theirs never hears of subject tokens`, async () => {
      const { made, [kind]: theirs } = communityAdapter()
      const models: string[] = []
      const memory = createMemoryAdapter()
      const ours = (model: string) => {
        models.push(model)
        return memory(model)
      }
      class Ours {
        constructor(model: string) {
          // biome-ignore lint/correctness/noConstructorReturn: it stands for the adapter.
          return ours(model)
        }
      }
      const adapter = withSubjectTokens(theirs, isOursClass ? (Ours as never) : ours)
      await using deployment = await deploy({ adapter })
      const operator = await signIn(deployment, 'olivia')
      const subject_token = await deployment.subjectToken()
      const form = { subject_token, actor_token: operator.access_token }
      await expectAnswer(deployment.exchange(form), 200)
      await expectAnswer(deployment.exchange(form), 400, REFUSED)
      expect(new Set(models)).to.deep.equal(new Set(['SubjectToken']))
      expect([...made.keys()]).to.include.members(['Session', 'Grant', 'AccessToken'])
      // The very adapter of theirs, so that replay detection stays as it was.
      const { ReplayDetection } = deployment.provider
      expect(ReplayDetection.adapter).to.equal(made.get('ReplayDetection'))
    })
  }

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

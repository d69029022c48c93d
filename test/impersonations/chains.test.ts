import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { EndingAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from './recorded-endings.ts'

/** Olivia acts as bob, and as bob would act as alice. */
async function chain(options: DeploymentOptions = {}) {
  const deployment = await deploy({
    ...options,
    impersonation: { actorToken: { chain: { maxDepth: 1 } } },
  })
  const olivia = await signIn(deployment, 'olivia')
  const bob = await deployment.exchange({
    subject_token: await deployment.subjectToken('bob'),
    actor_token: olivia.access_token,
    scope: 'openid',
  })
  const asAlice = async () =>
    deployment.exchange({
      subject_token: await deployment.subjectToken('alice'),
      actor_token: bob.body.access_token,
    })
  const of = async (userId: string) =>
    (await deployment.provider.impersonation.list({ userId })).items[0]
  return { deployment, olivia, asAlice, of }
}

type End = (deployment: Deployment, token: string, records: EndingAdapter) => Promise<unknown>

const ways: Record<string, End> = {
  'all of the operator end': ({ provider }) => provider.impersonation.endAll({ actor: 'olivia' }),
  'all of the operator end once more, after a failure': async ({ provider }, _token, records) => {
    const { items } = await provider.impersonation.list({ userId: 'bob' })
    await records.endOnce(String(items[0]?.id), { at: 1, cause: 'requested' })
    await provider.impersonation.endAll({ actor: 'olivia' })
  },
  'the operator signs out': async ({ provider }, access_token) => {
    const token = await provider.AccessToken.find(access_token)
    await (await provider.Grant.find(String(token?.grantId)))?.destroy()
  },
}

describe('I11: what runs through an impersonation ends with it', () => {
  for (const [what, end] of Object.entries(ways)) {
    it(`where ${what}; what bob runs in person goes on`, async () => {
      const adapter = createMemoryAdapter()
      const { deployment, olivia, asAlice, of } = await chain({ configuration: { adapter } })
      expect((await asAlice()).status).to.equal(200)
      deployment.accounts.add('carol')
      const inPerson = await deployment.exchange({
        subject_token: await deployment.subjectToken('carol'),
        actor_token: (await signIn(deployment, 'bob')).access_token,
      })
      expect(inPerson.status).to.equal(200)
      const ended: ImpersonationEvent[] = []
      deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
      await end(deployment, olivia.access_token, adapter('SubjectToken'))
      await until(
        () => of('alice'),
        (it) => it?.state === 'ended',
      )
      const states = await Promise.all(['bob', 'alice', 'carol'].map(of))
      expect(states.map((each) => each?.state)).to.deep.equal(['ended', 'ended', 'active'])
      await wait(5)
      expect(ended.filter(({ userId }) => userId === 'alice')).to.have.length(1)
      await deployment.close()
    })
  }

  it('where chains are not allowed any more: in the process that ends it, maxDepth is back at 0', async () => {
    const adapter = createMemoryAdapter()
    const { deployment, asAlice, of } = await chain({ configuration: { adapter } })
    expect((await asAlice()).status).to.equal(200)
    const now = await deploy({ configuration: { adapter } }, deployment)
    const bob = await of('bob')
    expect((await now.provider.impersonation.end(String(bob?.id)))?.state).to.equal('ended')
    expect((await of('alice'))?.state).to.equal('ended')
    await now.close()
    await deployment.close()
  })

  it('where it ends while the other is redeemed: nothing is issued', async () => {
    const memory = createMemoryAdapter()
    let isRaced = false
    const raced = async (id: string, note?: object) => {
      if (isRaced && note) await deployment.provider.impersonation.endAll({ userId: 'bob' })
      return memory('SubjectToken').consumeOnce(id, note && { ...note })
    }
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get: (target, name) => {
          const isRacing = name === 'consumeOnce' && model === 'SubjectToken'
          const member: unknown = isRacing ? raced : Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    const { deployment, asAlice } = await chain({ configuration: { adapter } })
    isRaced = true
    const { status, body } = await asAlice()
    expect(status).to.equal(400)
    expect(body.error_description).to.equal('actor token is invalid')
    await deployment.close()
  })
})

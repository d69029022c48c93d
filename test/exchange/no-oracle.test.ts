import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { answersFollowed } from '../../src/impersonations/after-answer.ts'
import { recording } from '../support/audit.ts'
import { type Deployment, deploy, type Form } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

/** A thief's requests: what a holder tries who is neither the operator nor the client. */
const thefts = async (deployment: Deployment): Promise<Record<string, Form>> => ({
  'no actor token': {},
  'a garbage actor token': { actor_token: 'garbage' },
  'a garbage actor token in the shape of a JWT': { actor_token: 'a.b.c' },
  "another operator's actor token": { actor_token: await deployment.actorToken('bob') },
  'no resource': { resource: undefined },
  'a refused resource': { resource: 'https://unknown.example' },
  'a scope of which nothing is left': { scope: 'admin' },
})

describe('I6: to a holder that it is not bound to, a bound token', () => {
  it('answers alike whether it is unused, used or unknown', async () => {
    await using deployment = await deploy()
    const operator = await deployment.actorToken()
    const issue = () => deployment.subjectToken({ mayAct: { sub: 'olivia' } })
    const used = await issue()
    await deployment.exchange({ subject_token: used, actor_token: operator })
    const unused = await issue()
    for (const [what, form] of Object.entries(await thefts(deployment))) {
      const answers = await Promise.all(
        [unused, used, 'unknown'].map((subject_token) =>
          deployment.exchange({ subject_token, ...form }),
        ),
      )
      const told = answers.map(({ status, body }) => JSON.stringify([status, body]))
      expect(new Set(told).size, `${what}: ${told.join(' ')}`).to.equal(1)
    }
    // The thief spoiled nothing for the operator.
    await expectAnswer(deployment.exchange({ subject_token: unused, actor_token: operator }), 200)
  })

  it('takes the same look-ups before its answer, whatever became of the token', async () => {
    using clock = stoppedClock()
    const { adapter, calls } = faultyAdapter()
    await using deployment = await deploy({
      configuration: {
        adapter,
        ttl: { SubjectToken: 60 },
        findAccount: (_ctx, sub) => {
          calls.push(`findAccount ${sub}`)
          return { accountId: sub, claims: () => ({ sub }) }
        },
      },
      middleware: async (ctx, next) => {
        ctx.res.once('finish', () => calls.push('the answer'))
        await next()
        await wait(10)
      },
    })
    const exchange = async (form: Form) => {
      calls.length = 0
      await deployment.exchange(form)
      await answersFollowed(deployment.provider)
      return calls.slice(0, calls.indexOf('the answer'))
    }
    const expired = await deployment.subjectToken()
    clock.pass(61)
    const used = await deployment.subjectToken()
    await exchange({ subject_token: used })
    const bound = await deployment.subjectToken({ mayAct: { clientId: 'web' } })
    for (const form of [{}, { actor_token: 'garbage' }]) {
      const forUnknown = await exchange({ subject_token: 'unknown', ...form })
      for (const subject_token of [used, used, expired, bound]) {
        expect(await exchange({ subject_token, ...form })).to.deep.equal(forUnknown)
      }
    }
    const { items } = await deployment.provider.impersonation.list({ state: 'ended' })
    expect(items.map(({ end }) => end?.cause)).to.deep.equal(['replay'])
    await exchange({ subject_token: used })
    expect(calls, 'what has ended is not ended again').to.not.include('SubjectToken.endOnce')
  })

  it('raises the alarm that it was used again, whatever the actor token is', async () => {
    await using deployment = await recording({
      impersonation: { actorToken: { required: true } },
    })
    const operator = await deployment.actorToken()
    const mayAct = { sub: 'olivia' }
    const subject_token = await deployment.subjectToken({ mayAct })
    await deployment.exchange({ subject_token, actor_token: operator })
    await deployment.exchange({ subject_token, actor_token: 'garbage' })
    const without = await deployment.exchange({ subject_token })
    expect(without.body.error_description).to.equal('actor_token is required')
    await deployment.exchange({ subject_token, actor_token: operator })
    const replays = (await deployment.recorded()).filter(
      ({ name }) => name === 'impersonation.replayed',
    )
    expect(replays).to.have.lengthOf(3)
    expect(replays[0]).to.deep.include({ userId: 'alice', mayAct })
    expect(replays[0]).to.not.have.property('actor')
    expect(replays[2]).to.deep.include({ actor: { sub: 'olivia' }, mayAct })
    for (const { redemption } of replays) expect(redemption?.jti).to.match(/^impersonation:/)
  })
})

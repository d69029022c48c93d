import { execFile } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { execArgv, execPath } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Context } from 'koa'
import { afterAnswer, answersFollowed } from '../../src/impersonations/after-answer.ts'
import { recording } from '../support/audit.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { signIn, signOutOfClient, signOutOfProvider } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { counted, expectState, hasEnded, only, until } from './recorded-endings.ts'

describe('an impersonation ends by itself', () => {
  it('after a replay: what the first use got ends, with the cause; with report it goes on', async () => {
    for (const onReplay of ['end', 'report'] as const) {
      await using deployment = await recording({
        impersonation: { ending: { onReplay } },
      })
      const subject_token = await deployment.subjectToken()
      await deployment.exchange({ subject_token })
      await deployment.expectWorthless(subject_token)
      expect((await deployment.recorded()).at(-1)?.name).to.equal('impersonation.replayed')
      const state = onReplay === 'end' ? 'ended' : 'active'
      const object = await until(
        () => only(deployment),
        (it) => it.state === state,
      )
      if (onReplay === 'end') await counted(deployment.ended, 1)
      await wait(5)
      expect(object.state).to.equal(state)
      expect(deployment.ended.map(({ end }) => end?.cause)).to.deep.equal(
        onReplay === 'end' ? ['replay'] : [],
      )
    }
  })

  it('after a replay that comes when the subject token has expired, too', async () => {
    using clock = stoppedClock()
    await using deployment = await recording({ configuration: { ttl: { SubjectToken: 1 } } })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    clock.pass(2)
    await deployment.exchange({ subject_token })
    const object = await hasEnded(deployment)
    expect(object.end?.cause).to.equal('replay')
  })

  it('after a replay of which nobody reads the answer: after a second', async () => {
    const held = Promise.withResolvers<void>()
    let isReplay = false
    await using deployment = await recording({
      middleware: async (_ctx, next) => {
        await next()
        if (isReplay) await held.promise
      },
    })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    isReplay = true
    const replay = deployment.exchange({ subject_token })
    await counted(deployment.ended, 1)
    expect(deployment.ended.map(({ end }) => end?.cause)).to.deep.equal(['replay'])
    held.resolve()
    await expectAnswer(replay, 400, REFUSED)
  })

  it('after a replay, in a process that stops before the answer leaves', async () => {
    const process = fileURLToPath(new URL('stops-at-replay.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(execPath, [...execArgv, process])
    expect(stdout.split('\n')).to.deep.equal(['replayed', 'ended: replay', ''])
  })

  it('after a replay, also where the storage fails at first', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await recording({ adapter })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    faults.add('SubjectToken.endOnce')
    await deployment.exchange({ subject_token })
    await wait(50)
    faults.clear()
    const object = await hasEnded(deployment)
    expect(object.end?.cause).to.equal('replay')
  })

  const waysOut: Record<string, (deployment: Deployment, tokens: Tokens) => Promise<unknown>> = {
    'the operator signs out of the provider': signOutOfProvider,
    'the code is used again': (deployment, { code }) =>
      deployment.post('/oidc/token', {
        grant_type: 'authorization_code',
        client_id: 'console',
        code,
        redirect_uri: 'https://console.example.com/callback',
        code_verifier: 'a-verifier-that-is-long-enough-for-pkce-0123456789',
      }),
  }
  type Tokens = Awaited<ReturnType<typeof signIn>>

  for (const [what, signOut] of Object.entries(waysOut)) {
    it(`with the operator: ${what}; what others run goes on`, async () => {
      await using deployment = await recording()
      const scope = 'openid offline_access'
      const [first, second] = [
        await signIn(deployment, 'olivia', { scope }),
        await signIn(deployment, 'olivia', { scope }),
      ]
      for (const [userId, { access_token: actor_token }] of [
        ['alice', first],
        ['bob', second],
      ] as const) {
        const subject_token = await deployment.subjectToken({ userId })
        await expectAnswer(deployment.exchange({ subject_token, actor_token }), 200)
      }
      await signOut(deployment, first)
      const of = async (userId: string) =>
        (await deployment.provider.impersonation.list({ userId })).items[0]
      const alice = await until(
        () => of('alice'),
        (it) => it?.state === 'ended',
      )
      expect(alice?.end).to.deep.include({ cause: 'operator_signed_out', by: { sub: 'olivia' } })
      expect((await of('bob'))?.state).to.equal('active')
      await counted(deployment.ended, 1)
      await wait(5)
      expect(deployment.ended.map(({ userId }) => userId)).to.deep.equal(['alice'])
    })
  }

  it('an operator who signs out of another client alone stays: it goes on', async () => {
    await using deployment = await recording()
    const olivia = await signIn(deployment, 'olivia')
    await deployment.exchange({ actor_token: olivia.access_token })
    let signedOut = 0
    deployment.provider.on('end_session.success', () => {
      signedOut += 1
    })
    await signOutOfClient(deployment, olivia, 'web')
    expect(signedOut).to.equal(1)
    await wait(30)
    await expectState(deployment, 'active')
  })

  it('with endWithOperator: false, it goes on', async () => {
    await using deployment = await recording({
      impersonation: { ending: { endWithOperator: false } },
    })
    const actor_token = await deployment.actorToken()
    await deployment.exchange({ actor_token })
    await deployment.post('/oidc/token/revocation', { token: actor_token, client_id: 'console' })
    await wait(30)
    await expectState(deployment, 'active')
  })
})

describe('a task after an answer', () => {
  it('that throws is reported to the provider, and ends no process', async () => {
    await using deployment = await deploy()
    const { provider, serverErrors } = deployment
    const mistake = new Error('a mistake')
    const response = new EventEmitter()
    afterAnswer(provider, { res: response } as Context, () => {
      throw mistake
    })
    response.emit('finish')
    await answersFollowed(provider)
    expect(serverErrors).to.deep.equal([mistake])
  })
})

import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { basic, type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { REFUSED } from '../support/http.ts'
import { signIn, signOutOfProvider } from '../support/sign-in.ts'

/** The one impersonation of the deployment, as it stands. */
async function only({ provider }: Deployment) {
  const { items } = await provider.impersonation.list()
  expect(items).to.have.length(1)
  return items[0] ?? expect.fail()
}

/** Waits for what happens after an answer. */
async function until<T>(look: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    const value = await look()
    if (isSo(value) || turn === 200) return value
    await wait(5)
  }
}

async function endings(options: DeploymentOptions = {}) {
  const { deployment, recorded } = await recording(options)
  const ended: ImpersonationEvent[] = []
  deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
  return { deployment, recorded, ended }
}

const isActive = async (deployment: Deployment, token: string) => {
  const headers = basic('web', 'web-secret')
  const { body } = await deployment.post('/oidc/token/introspection', { token }, headers)
  return body.active
}

describe('an impersonation has one id from first to last', () => {
  it('the id of its events, its record, its token and its object are the same', async () => {
    const { deployment, recorded } = await recording({})
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { body } = await deployment.issue({
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: 'console' },
      context: { ticketId: 'SUP-1' },
    })
    const { subjectToken: subject_token } = body
    const issued = await only(deployment)
    expect(issued).to.deep.include({
      state: 'issued',
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: 'console' },
      issuedTo: 'backend',
      context: { ticketId: 'SUP-1' },
      redeemableUntil: issued.issuedAt + body.expiresIn,
    })
    expect(issued).to.not.have.any.keys('actor', 'client', 'startedAt', 'expiresAt', 'end')

    const answer = await deployment.exchange({ subject_token, actor_token })
    const active = await only(deployment)
    expect(active).to.deep.include({
      id: issued.id,
      state: 'active',
      actor: { sub: 'olivia' },
      client: 'console',
      resource: deployment.orders,
      scope: 'orders:read',
    })
    expect(Number(active.expiresAt) - Number(active.startedAt)).to.be.closeTo(900, 2)
    const [, payload = ''] = answer.body.access_token.split('.')
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(jti).to.equal(`impersonation:${issued.id}`)
    expect((await recorded()).map(({ id }) => id)).to.deep.equal([issued.id, issued.id])
    await deployment.close()
  })

  it('of an operator in a chain, the object shows the chain', async () => {
    const deployment = await deploy({ impersonation: { actorToken: { chain: { maxDepth: 1 } } } })
    const olivia = await signIn(deployment, 'olivia')
    const bob = await deployment.exchange({
      subject_token: await deployment.subjectToken('bob'),
      actor_token: olivia.access_token,
      scope: 'openid',
    })
    await deployment.exchange({
      subject_token: await deployment.subjectToken('alice'),
      actor_token: bob.body.access_token,
    })
    const { items } = await deployment.provider.impersonation.list({ userId: 'alice' })
    expect(items[0]?.actor).to.deep.equal({ sub: 'bob', act: { sub: 'olivia' } })
    await deployment.close()
  })
})

describe('I11: an end ends', () => {
  it('before the exchange: the subject token answers as an unknown one, and it is no replay', async () => {
    const { deployment, recorded, ended } = await endings()
    const subject_token = await deployment.subjectToken()
    const { id } = await only(deployment)
    await deployment.provider.impersonation.end(id, { by: { sub: 'lead' }, reason: 'mistake' })
    const refused = await deployment.exchange({ subject_token })
    expect([refused.status, refused.body]).to.deep.equal([400, REFUSED])
    const denied = (await recorded()).at(-1)
    expect([denied?.name, denied?.id]).to.deep.equal(['impersonation.denied', id])
    const object = await only(deployment)
    expect(object.state).to.equal('ended')
    expect(object.end).to.deep.include({
      by: { sub: 'lead' },
      cause: 'requested',
      reason: 'mistake',
    })
    expect(ended).to.have.length(1)
    expect(ended[0]).to.deep.include({ id, subject: 'alice', issuedTo: 'backend', end: object.end })
    await deployment.close()
  })

  it('after the exchange: an opaque token is inactive at once, at introspection and everywhere', async () => {
    const { deployment } = await endings()
    const resource = `${deployment.base}/opaque`
    const { body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      resource,
    })
    expect(await isActive(deployment, body.access_token)).to.equal(true)
    await deployment.provider.impersonation.endAll({ userId: 'alice' })
    expect(await isActive(deployment, body.access_token)).to.equal(false)
    expect(await deployment.provider.AccessToken.find(body.access_token)).to.equal(undefined)
    await deployment.close()
  })

  it('I5: an opaque token whose impersonation cannot be looked up is trouble, not active or inactive', async () => {
    const { adapter, faults } = faultyAdapter()
    const deployment = await deploy({ configuration: { adapter } })
    const { body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      resource: `${deployment.base}/opaque`,
    })
    faults.add('SubjectToken.find')
    const headers = basic('web', 'web-secret')
    const { status } = await deployment.post(
      '/oidc/token/introspection',
      { token: body.access_token },
      headers,
    )
    expect(status).to.equal(500)
    await deployment.close()
  })

  it('an opaque token whose impersonation the storage has forgotten is inactive', async () => {
    const adapter = createMemoryAdapter()
    const deployment = await deploy({ configuration: { adapter } })
    const { body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      resource: `${deployment.base}/opaque`,
    })
    await adapter('SubjectToken').destroy((await only(deployment)).id)
    expect(await isActive(deployment, body.access_token)).to.equal(false)
    await deployment.close()
  })

  it('while authorize waits: refused, and nothing is issued', async () => {
    const { deployment } = await endings({
      impersonation: {
        authorize: async ({ stage }) => {
          if (stage === 'exchange')
            await deployment.provider.impersonation.endAll({ userId: 'alice' })
          return true
        },
      },
    })
    const refused = await deployment.exchange({ subject_token: await deployment.subjectToken() })
    expect([refused.status, refused.body]).to.deep.equal([400, REFUSED])
    await deployment.close()
  })

  it('I3: a token whose own impersonation has ended is no actor token in a chain, JWT or opaque', async () => {
    const deployment = await deploy({ impersonation: { actorToken: { chain: { maxDepth: 1 } } } })
    const olivia = await signIn(deployment, 'olivia')
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const bob = await deployment.exchange({
        subject_token: await deployment.subjectToken('bob'),
        actor_token: olivia.access_token,
        scope: 'openid',
        resource,
      })
      await deployment.provider.impersonation.endAll({ userId: 'bob' })
      const refused = await deployment.exchange({
        subject_token: await deployment.subjectToken('alice'),
        actor_token: bob.body.access_token,
      })
      expect(refused.body.error_description).to.equal('actor token is invalid')
    }
    await deployment.close()
  })

  it('the first end stays, raises one event, and what has expired is not ended', async () => {
    const { deployment, ended } = await endings({ impersonation: { subjectToken: { ttl: 1 } } })
    const { impersonation } = deployment.provider
    await deployment.subjectToken()
    const { id } = await only(deployment)
    const [first, second] = await Promise.all([
      impersonation.end(id, { reason: 'one' }),
      impersonation.end(id, { reason: 'two' }),
    ])
    expect(first).to.deep.equal(second)
    const third = await impersonation.end(id, { reason: 'three', cause: 'policy' })
    expect(third).to.deep.equal(first)
    await deployment.subjectToken('bob')
    await wait(1100)
    const [bob] = (await impersonation.list({ userId: 'bob' })).items
    expect(bob?.state).to.equal('expired')
    expect((await impersonation.end(String(bob?.id)))?.state).to.equal('expired')
    expect(await impersonation.endAll({ issuedTo: 'backend' })).to.equal(0)
    expect(ended).to.have.length(1)
    await deployment.close()
  })

  it('I13: an end whose reply was lost is known as this one, and its event is raised', async () => {
    const memory = createMemoryAdapter()
    let lost = 0
    const endOnce = async (id: string, end: object) => {
      await memory('SubjectToken').endOnce(id, { ...end })
      lost += 1
      throw new Error('the connection was lost')
    }
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get: (target, name) => {
          const member: unknown = name === 'endOnce' ? endOnce : Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    const { deployment, ended } = await endings({ configuration: { adapter } })
    await deployment.subjectToken()
    const { id } = await only(deployment)
    expect((await deployment.provider.impersonation.end(id))?.state).to.equal('ended')
    await wait(5)
    expect([lost, ended.length]).to.deep.equal([1, 1])
    await deployment.close()
  })
})

describe('an impersonation ends by itself', () => {
  it('after a replay: what the first use got ends, with the cause; with report it goes on', async () => {
    for (const onReplay of ['end', 'report'] as const) {
      const { deployment, recorded, ended } = await endings({
        impersonation: { lifecycle: { onReplay } },
      })
      const subject_token = await deployment.subjectToken()
      await deployment.exchange({ subject_token })
      const replay = await deployment.exchange({ subject_token })
      expect(replay.body).to.deep.equal(REFUSED)
      expect((await recorded()).at(-1)?.name).to.equal('impersonation.replayed')
      const state = onReplay === 'end' ? 'ended' : 'active'
      const object = await until(
        () => only(deployment),
        (it) => it.state === state,
      )
      await wait(5)
      expect(object.state).to.equal(state)
      expect(ended.map(({ end }) => end?.cause)).to.deep.equal(onReplay === 'end' ? ['replay'] : [])
      await deployment.close()
    }
  })

  it('after a replay that comes when the subject token has expired, too', async () => {
    const { deployment } = await endings({ impersonation: { subjectToken: { ttl: 1 } } })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    await wait(1100)
    await deployment.exchange({ subject_token })
    const object = await until(
      () => only(deployment),
      ({ state }) => state === 'ended',
    )
    expect(object.end?.cause).to.equal('replay')
    await deployment.close()
  })

  it('after a replay, also where the storage fails at first', async () => {
    const { adapter, faults } = faultyAdapter()
    const { deployment } = await endings({ configuration: { adapter } })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    faults.add('SubjectToken.endOnce')
    await deployment.exchange({ subject_token })
    await wait(50)
    faults.clear()
    const object = await until(
      () => only(deployment),
      ({ state }) => state === 'ended',
    )
    expect(object.end?.cause).to.equal('replay')
    await deployment.close()
  })

  const waysOut: Record<string, (deployment: Deployment, tokens: Tokens) => Promise<unknown>> = {
    'the refresh token is revoked': (deployment, { refresh_token: token }) =>
      deployment.post('/oidc/token/revocation', { token, client_id: 'console' }),
    'the grant is destroyed by the deployment': async ({ provider }, { access_token }) => {
      const token = await provider.AccessToken.find(access_token)
      const grant = await provider.Grant.find(String(token?.grantId))
      await grant?.destroy()
    },
    'the operator signs out of the provider': signOutOfProvider,
    'the code is used again': (deployment, { code }) =>
      deployment.post('/oidc/token', {
        grant_type: 'authorization_code',
        client_id: 'console',
        code,
        redirect_uri: 'https://app.example.com/callback',
        code_verifier: 'a-verifier-that-is-long-enough-for-pkce-0123456789',
      }),
  }
  type Tokens = Awaited<ReturnType<typeof signIn>>

  for (const [what, signOut] of Object.entries(waysOut)) {
    it(`with the operator: ${what}; what others run goes on`, async () => {
      const { deployment, ended } = await endings()
      const scope = 'openid offline_access'
      const [first, second] = [
        await signIn(deployment, 'olivia', { scope }),
        await signIn(deployment, 'olivia', { scope }),
      ]
      for (const [userId, { access_token: actor_token }] of [
        ['alice', first],
        ['bob', second],
      ] as const) {
        const subject_token = await deployment.subjectToken(userId)
        const { status } = await deployment.exchange({ subject_token, actor_token })
        expect(status).to.equal(200)
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
      await wait(5)
      expect(ended.map(({ subject }) => subject)).to.deep.equal(['alice'])
      await deployment.close()
    })
  }

  it('with endWithOperator: false, it goes on', async () => {
    const { deployment } = await endings({
      impersonation: { lifecycle: { endWithOperator: false } },
    })
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token, actor_token })
    await deployment.post('/oidc/token/revocation', { token: actor_token, client_id: 'console' })
    await wait(30)
    expect((await only(deployment)).state).to.equal('active')
    await deployment.close()
  })
})

describe('canEnd', () => {
  it('is false for an adapter without the methods, which is an error where it must be on', async () => {
    const deployment = await deploy({ configuration: { adapter: undefined } })
    const { impersonation } = deployment.provider
    expect(impersonation.canEnd).to.equal(false)
    const error = await impersonation.end('x').catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('cannot be seen or ended')
    await deployment.close()
    const refused = await deploy({
      configuration: { adapter: undefined },
      impersonation: { lifecycle: { enabled: true } },
    }).catch((thrown: unknown) => thrown)
    expect(String(refused)).to.contain('features.impersonation.lifecycle.enabled is true')
    expect(String(refused)).to.contain('lacks consumeOnce, endOnce, list, endedIndices')
  })

  it('is false where it is switched off: tokens, records and answers are as they were', async () => {
    const adapter = createMemoryAdapter()
    const deployment = await deploy({
      configuration: { adapter },
      impersonation: { lifecycle: { enabled: false } },
    })
    expect(deployment.provider.impersonation.canEnd).to.equal(false)
    const { body } = await deployment.issue({ userId: 'alice' })
    expect(Object.keys(body)).to.deep.equal(['subjectToken', 'expiresIn'])
    await deployment.close()
  })
})

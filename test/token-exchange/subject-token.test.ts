import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { basic, deploy } from '../support/deployment.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { signIn } from '../support/sign-in.ts'

const REFUSED = { error: 'invalid_request', error_description: 'subject token is invalid' }

describe('redeeming a subject token', () => {
  it('I1: of 100 parallel exchanges, one succeeds and ninety-nine answer 400', async () => {
    const deployment = await deploy()
    const subject_token = await deployment.subjectToken()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => deployment.exchange({ subject_token })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array(99).fill(400)])
    for (const { status, body } of answers) if (status === 400) expect(body).to.deep.equal(REFUSED)
    await deployment.close()
  })

  for (const [what, configuration, impersonation] of [
    ["oidc-provider's own in-memory adapter", { adapter: undefined }, {}],
    [
      'an adapter without consumeOnce, per process',
      { adapter: memoryAdapterWith({ consumeOnce: undefined }) },
      { subjectToken: { singleUse: 'per-process' as const } },
    ],
  ] as const) {
    it(`I1: the same with ${what}`, async () => {
      const deployment = await deploy({ configuration, impersonation })
      for (let round = 0; round < 5; round += 1) {
        const subject_token = await deployment.subjectToken()
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => deployment.exchange({ subject_token })),
        )
        const statuses = answers.map(({ status }) => status).sort()
        expect(statuses).to.deep.equal([200, ...Array(99).fill(400)])
        expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
      }
      await deployment.close()
    })
  }

  it('I6: unknown, expired, redeemed and destroyed tokens get one and the same answer', async () => {
    const deployment = await deploy()
    const used = await deployment.subjectToken()
    await deployment.exchange({ subject_token: used })
    const revoked = await deployment.subjectToken()
    const saved: Array<{ destroy(): Promise<void> }> = []
    deployment.provider.on('subject_token.saved', (token) => saved.push(token as never))
    const destroyed = await deployment.subjectToken()
    await saved[0]?.destroy()
    const answers = [
      await deployment.exchange({ subject_token: used }),
      await deployment.exchange({ subject_token: destroyed }),
      await deployment.exchange({ subject_token: 'unknown' }),
      await deployment.exchange({ subject_token: revoked.slice(0, -1) }),
    ]
    const { restore } = moveClock(601_000)
    try {
      answers.push(await deployment.exchange({ subject_token: revoked }))
    } finally {
      restore()
    }
    for (const { status, headers, body } of answers) {
      expect(status).to.equal(400)
      expect(body).to.deep.equal(REFUSED)
      expect(headers.get('content-length')).to.equal(answers[0]?.headers.get('content-length'))
    }
    await deployment.close()
  })

  it('a subject token lives until its last second and not a second longer', async () => {
    const deployment = await deploy({ impersonation: { subjectToken: { ttl: 60 } } })
    const first = await deployment.subjectToken()
    const second = await deployment.subjectToken()
    const early = moveClock(58_000)
    const inTime = await deployment.exchange({ subject_token: first })
    early.restore()
    const late = moveClock(60_000)
    const tooLate = await deployment.exchange({ subject_token: second })
    late.restore()
    expect(inTime.status).to.equal(200)
    expect(tooLate.body).to.deep.equal(REFUSED)
    await deployment.close()
  })

  it('I3: no other token or code is ever accepted as a subject token', async () => {
    const deployment = await deploy()
    const offline = await signIn(deployment, 'olivia', { scope: 'openid offline_access' })
    const jwt = await signIn(deployment, 'olivia', {
      scope: 'openid orders:read',
      resource: deployment.orders,
    })
    const opaque = { resource: `${deployment.base}/opaque` }
    const impersonated = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
    })
    const impersonatedOpaque = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      ...opaque,
    })
    const others = [
      offline.access_token,
      offline.refresh_token,
      offline.id_token,
      offline.code,
      jwt.access_token,
      await deployment.m2mToken(),
      impersonated.body.access_token,
      impersonatedOpaque.body.access_token,
    ]
    for (const subject_token of others) {
      expect(subject_token).to.be.a('string')
      expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
    }
    await deployment.close()
  })

  it('I3: nor the id of a record of another model, in an adapter that mixes them up', async () => {
    // One namespace for everything, as some adapters have it.
    const memory = createMemoryAdapter()('Everything')
    const deployment = await deploy({ configuration: { adapter: () => memory } })
    const { access_token } = await signIn(deployment, 'olivia')
    const { createHash } = await import('node:crypto')
    const id = createHash('sha256').update('chosen').digest('base64url')
    await memory.upsert(id, { ...(await memory.find(access_token)), jti: id }, 600)
    expect((await deployment.exchange({ subject_token: 'chosen' })).body).to.deep.equal(REFUSED)
    await deployment.close()
  })

  describe('I7: still true at exchange', () => {
    it('the user was removed', async () => {
      const deployment = await deploy()
      const subject_token = await deployment.subjectToken()
      deployment.accounts.delete('alice')
      expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
      await deployment.close()
    })

    const clientsInStorage = async () => {
      const memory = createMemoryAdapter()
      const machine = {
        client_id: 'stored-backend',
        client_secret: 'secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      }
      const operator = {
        client_id: 'stored-console',
        token_endpoint_auth_method: 'none' as const,
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        redirect_uris: ['https://app.example.com/callback'],
      }
      const clients = memory('Client')
      await clients.upsert(machine.client_id, machine)
      await clients.upsert(operator.client_id, operator)
      const deployment = await deploy({ configuration: { adapter: memory } })
      const token = await deployment.m2mToken({}, ['stored-backend', 'secret'])
      const { body } = await deployment.issue({ userId: 'alice' }, { token })
      const form = { subject_token: body.subjectToken, client_id: 'stored-console' }
      return { deployment, clients, machine, operator, form, token }
    }

    it('the client that exchanges was removed', async () => {
      const { deployment, clients, form } = await clientsInStorage()
      await clients.destroy('stored-console')
      expect((await deployment.exchange(form)).body.error).to.equal('invalid_client')
      await deployment.close()
    })

    it('the client that exchanges was stripped of the grant', async () => {
      const { deployment, clients, operator, form } = await clientsInStorage()
      await clients.upsert('stored-console', { ...operator, grant_types: ['authorization_code'] })
      expect((await deployment.exchange(form)).status).to.equal(400)
      await deployment.close()
    })

    it('the client that issued was removed, or stripped of its grant', async () => {
      const { deployment, clients, machine, operator, form, token } = await clientsInStorage()
      await clients.upsert('stored-backend', {
        ...machine,
        grant_types: operator.grant_types,
        redirect_uris: operator.redirect_uris,
        response_types: ['code'],
      })
      expect((await deployment.exchange(form)).body).to.deep.equal(REFUSED)
      expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(401)
      await clients.destroy('stored-backend')
      expect((await deployment.exchange(form)).body).to.deep.equal(REFUSED)
      await clients.upsert('stored-backend', machine)
      expect((await deployment.exchange(form)).status).to.equal(200)
      await deployment.close()
    })
  })

  describe('I5: storage trouble is trouble', () => {
    for (const [fault, redeemable] of [
      ['SubjectToken.find', true],
      ['SubjectToken.consumeOnce', true],
      ['AccessToken.upsert', false],
    ] as const) {
      it(`${fault} fails: 500, no token, and ${redeemable ? 'usable afterwards' : 'redeemed for good'}`, async () => {
        const { adapter, faults } = faultyAdapter()
        const deployment = await deploy({ configuration: { adapter } })
        const form = {
          subject_token: await deployment.subjectToken(),
          resource: `${deployment.base}/opaque`,
        }
        faults.add(fault)
        const { status, body } = await deployment.exchange(form)
        expect(status).to.equal(500)
        expect(body.error).to.equal('server_error')
        expect(body).to.not.have.property('access_token')
        expect(JSON.stringify(body)).to.not.include('storage failed')
        faults.clear()
        expect((await deployment.exchange(form)).status).to.equal(redeemable ? 200 : 400)
        await deployment.close()
      })
    }

    it('an adapter whose consumeOnce answers neither true nor false: 500', async () => {
      const adapter = memoryAdapterWith({ consumeOnce: async () => 1 })
      const deployment = await deploy({ configuration: { adapter } })
      const subject_token = await deployment.subjectToken()
      expect((await deployment.exchange({ subject_token })).status).to.equal(500)
      await deployment.close()
    })
  })

  it('costs one write to issue, one read and one claim to exchange, and nothing else', async () => {
    const { adapter, calls } = faultyAdapter()
    const deployment = await deploy({ configuration: { adapter } })
    const token = await deployment.m2mToken()
    calls.length = 0
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    expect(calls).to.deep.equal(['SubjectToken.upsert'])
    calls.length = 0
    await deployment.exchange({ subject_token: body.subjectToken }, basic('web', 'web-secret'))
    expect(calls).to.deep.equal(['SubjectToken.find', 'SubjectToken.consumeOnce'])
    await deployment.close()
  })

  it('events: saved, consumed, with the hash for an id and without the value', async () => {
    const deployment = await deploy()
    const events: string[] = []
    const { inspect } = await import('node:util')
    for (const name of ['subject_token.saved', 'subject_token.consumed'] as const) {
      deployment.provider.on(name, (token) => {
        events.push(
          `${name} ${inspect(token, { showHidden: true, depth: 9 })} ${JSON.stringify(token)}`,
        )
      })
    }
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    expect(events).to.have.lengthOf(2)
    expect(events[1]).to.match(/^subject_token\.consumed .*SubjectToken/)
    expect(events.join()).to.not.include(subject_token)
    await deployment.close()
  })
})

/** Moves this process's clock ahead. Provider and tests share it. */
function moveClock(milliseconds: number): { restore(): void } {
  const real = Date.now
  Date.now = () => real() + milliseconds
  return {
    restore() {
      Date.now = real
    },
  }
}

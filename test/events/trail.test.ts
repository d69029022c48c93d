import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { errors } from '../../src/index.ts'
import { withMembers } from '../adapters/with-members.ts'
import { recording } from '../support/audit.ts'
import { later } from '../support/clock.ts'
import { dpopKey } from '../support/dpop.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'
import { askUndescribed, expectAnswer } from '../support/http.ts'

describe('the audit trail', () => {
  it('a record that expired between check and claim is denied, not replayed', async () => {
    using moved = new DisposableStack()
    await using deployment = await recording({
      adapter: createMemoryAdapter({ now: () => Date.now() }),
      impersonation: {
        authorize: ({ stage }) => {
          if (stage === 'exchange') moved.use(later(60_000))
          return true
        },
      },
    })
    const subject_token = await deployment.subjectToken({ expiresIn: 60 })
    await expectAnswer(deployment.exchange({ subject_token }), 400)
    const [, denied] = await deployment.recorded()
    expect(denied?.name).to.equal('impersonation.denied')
  })

  for (const member of ['context', 'binding']) {
    it(`I2, I5, I13: a store that loses the ${member}: denied, told, and not redeemed`, async () => {
      const memory = createMemoryAdapter()
      let loses = true
      const find = async (id: string) => {
        const found = await memory('SubjectToken').find(id)
        return found && (loses ? { ...found, [member]: undefined } : found)
      }
      await using deployment = await recording({
        configuration: {
          adapter: (model) =>
            model === 'SubjectToken' ? withMembers(memory(model), { find }) : memory(model),
        },
      })
      const subject_token = await deployment.subjectToken()
      await expectAnswer(deployment.exchange({ subject_token }), 500)
      const [, denied] = await deployment.recorded()
      expect([denied?.name, denied?.denial?.error]).to.deep.equal([
        'impersonation.denied',
        'server_error',
      ])
      loses = false
      await deployment.redeem(subject_token)
    })
  }

  it('I6: the value of an opaque token that the store could not confirm or look up', async () => {
    const memory = createMemoryAdapter()
    let isDown = false
    const talk = (model: string, call: string) => (id: string) =>
      isDown ? Promise.reject(new Error(`timeout: ${call} ${model}:${id}`)) : undefined
    await using deployment = await recording({
      impersonation: { managementApi: { tokenFormat: 'opaque' } },
      configuration: {
        adapter: (model) => {
          const sound = memory(model)
          if (model === 'AccessToken') return withMembers(sound, { upsert: talk(model, 'SET') })
          if (model !== 'ClientCredentials') return sound
          const find = (id: string) => talk(model, 'GET')(id) ?? sound.find(id)
          return withMembers(sound, { find })
        },
      },
    })
    const token = await deployment.m2mToken()
    const { body } = await deployment.issueBy(token)
    isDown = true
    const form = { subject_token: body.subjectToken, resource: `${deployment.base}/opaque` }
    await expectAnswer(deployment.exchange(form), 500)
    await expectAnswer(deployment.issueBy(token), 500)
    const reasons = (await deployment.recorded()).slice(1).map(({ denial }) => denial?.reason)
    expect(reasons).to.deep.equal([
      'timeout: SET AccessToken:[concealed]',
      'timeout: GET ClientCredentials:[concealed]',
    ])
  })

  it('I6: a long error does not cut a token in two', async () => {
    const value: string[] = []
    await using deployment = await recording({
      impersonation: {
        authorize: ({ stage }) => {
          if (stage === 'exchange') throw new Error(`${'x'.repeat(930)}${value[0]}`)
          return true
        },
      },
    })
    const subject_token = await deployment.subjectToken()
    value.push(subject_token)
    await deployment.exchange({ subject_token })
    const [, denied] = await deployment.recorded()
    expect(denied?.denial?.reason).to.not.include(subject_token.slice(0, 8))
  })

  it('nobody blots out the reason by sending its words', async () => {
    await using deployment = await recording()
    for (const subject_token of ['e', 'unknown or expired']) {
      await deployment.exchange({ subject_token })
    }
    for (const { denial } of await deployment.recorded()) {
      expect(denial?.reason).to.equal('subject token is invalid: unknown or expired')
    }
  })

  it('the challenge for a DPoP nonce is no event', async () => {
    await using deployment = await recording({
      configuration: {
        features: {
          dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 2), requireNonce: () => true },
        },
      },
    })
    const key = await dpopKey()
    const htu = `${deployment.issuer}/token`
    for (let round = 0; round < 4; round += 1) {
      const subject_token = await deployment.subjectToken()
      const first = await deployment.exchange({ subject_token }, { dpop: await key.proof({ htu }) })
      expect(first.body.error).to.equal('use_dpop_nonce')
      const nonce = first.headers.get('dpop-nonce')
      const dpop = await key.proof({ htu, nonce })
      await expectAnswer(deployment.exchange({ subject_token }, { dpop }), 200)
    }
    const names = new Set((await deployment.recorded()).map(({ name }) => name))
    expect([...names]).to.deep.equal(['impersonation.issued', 'impersonation.started'])
  })

  it('denial.error is what the client was told, and the reason is the inner one', async () => {
    const error = new errors.OIDCProviderError(503, 'temporarily_unavailable')
    await using deployment = await recording({
      configuration: {
        adapter: memoryAdapterWith({ consumeOnce: () => Promise.reject(error) }),
        findAccount(_ctx, sub) {
          if (sub === 'bob') throw new errors.InvalidGrant('inner')
          return { accountId: sub, claims: () => ({ sub }) }
        },
      },
      impersonation: { ending: { enabled: false } },
    })
    await expectAnswer(deployment.issue({ userId: 'bob' }), 500, 'server_error')
    await askUndescribed(() => expectAnswer(deployment.exchange(), 503, 'server_error'))
    const [first, , second] = await deployment.recorded()
    for (const [denied, stage, reason] of [
      [first, 'issue', 'grant request is invalid'],
      [second, 'exchange', error.message],
    ] as const) {
      expect(denied?.denial).to.include({ stage, error: 'server_error' })
      expect(denied?.denial?.reason).to.include(reason)
    }
  })

  const unreadable: Record<string, () => Error> = {
    'whose message throws': () =>
      Object.defineProperty(new Error('x'), 'message', { get: () => expect.fail('read') }),
    'whose cause throws': () =>
      new Error('x', { cause: new Proxy(new Error('y'), { get: () => expect.fail('read') }) }),
    'whose message is no text': () => Object.assign(new Error('x'), { message: { toString: 1 } }),
  }
  for (const [what, make] of Object.entries(unreadable)) {
    it(`a rule that throws an error ${what} is a denial, and ends no process`, async () => {
      let failing = 'issue'
      await using deployment = await recording({
        impersonation: {
          authorize({ stage }) {
            if (stage === failing) throw make()
            return true
          },
        },
      })
      await expectAnswer(deployment.issue(), 500)
      failing = 'exchange'
      await expectAnswer(deployment.exchange(), 500)
      const [first, , second] = await deployment.recorded()
      for (const [denied, stage] of [
        [first, 'issue'],
        [second, 'exchange'],
      ] as const) {
        expect(denied?.denial).to.include({ stage, error: 'server_error' })
        expect(denied?.denial?.reason).to.match(
          /authorize failed .*: an error that cannot be read$/,
        )
      }
    })
  }
})

import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { errors } from '../../src/index.ts'
import { withMembers } from '../adapters/with-members.ts'
import { recording } from '../support/audit.ts'
import { later } from '../support/clock.ts'
import { dpopKey } from '../support/dpop.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'
import { askUndescribed } from '../support/http.ts'

describe('the audit trail', () => {
  it('a record that expired between check and claim is denied, not replayed', async () => {
    using moved = new DisposableStack()
    const { deployment, recorded } = await recording({
      configuration: { adapter: createMemoryAdapter({ now: () => Date.now() }) },
      impersonation: {
        authorize: ({ stage }) => {
          if (stage === 'exchange') moved.use(later(60_000))
          return true
        },
      },
    })
    const { body } = await deployment.issue({ userId: 'alice', expiresIn: 60 })
    expect((await deployment.exchange({ subject_token: body.subjectToken })).status).to.equal(400)
    const [, denied] = await recorded()
    expect(denied?.name).to.equal('impersonation.denied')
    await deployment.close()
  })

  for (const member of ['context', 'binding']) {
    it(`I2, I5, I13: a store that loses the ${member}: denied, told, and not redeemed`, async () => {
      const memory = createMemoryAdapter()
      let loses = true
      const find = async (id: string) => {
        const found = await memory('SubjectToken').find(id)
        return found && (loses ? { ...found, [member]: undefined } : found)
      }
      const { deployment, recorded } = await recording({
        configuration: {
          adapter: (model) =>
            model === 'SubjectToken' ? withMembers(memory(model), { find }) : memory(model),
        },
      })
      const subject_token = await deployment.subjectToken()
      expect((await deployment.exchange({ subject_token })).status).to.equal(500)
      const [, denied] = await recorded()
      expect([denied?.name, denied?.denial?.error]).to.deep.equal([
        'impersonation.denied',
        'server_error',
      ])
      loses = false
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
      await deployment.close()
    })
  }

  it('I6: the value of an opaque access token that the store could not confirm', async () => {
    const memory = createMemoryAdapter()
    const { deployment, recorded } = await recording({
      configuration: {
        adapter: (model) =>
          model === 'AccessToken'
            ? memoryAdapterWith({
                upsert: (id: string) => Promise.reject(new Error(`timeout: SET AccessToken:${id}`)),
              })(model)
            : memory(model),
      },
    })
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, resource: `${deployment.base}/opaque` }
    expect((await deployment.exchange(form)).status).to.equal(500)
    const [, denied] = await recorded()
    expect(denied?.denial?.reason).to.match(/AccessToken:\[concealed\]$/)
    await deployment.close()
  })

  it('I6: the value of an opaque machine-to-machine token that the store could not look up', async () => {
    const resource = 'https://id.example.com/api'
    const memory = createMemoryAdapter()
    const { deployment, recorded } = await recording({
      impersonation: { managementApi: { resource, tokenFormat: 'opaque' } },
      configuration: {
        adapter: (model) =>
          model === 'ClientCredentials'
            ? memoryAdapterWith({
                find: (id: string) => Promise.reject(new Error(`timeout: GET ${model}:${id}`)),
              })(model)
            : memory(model),
      },
    })
    const token = await deployment.m2mToken({ resource })
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(500)
    const [denied] = await recorded()
    expect(denied?.denial?.reason).to.match(/ClientCredentials:\[concealed\]$/)
    await deployment.close()
  })

  it('I6: a long error does not cut a token in two', async () => {
    const value: string[] = []
    const { deployment, recorded } = await recording({
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
    const [, denied] = await recorded()
    expect(denied?.denial?.reason).to.not.include(subject_token.slice(0, 8))
    await deployment.close()
  })

  it('nobody blots out the reason by sending its words', async () => {
    const { deployment, recorded } = await recording({})
    for (const subject_token of ['e', 'unknown or expired']) {
      await deployment.exchange({ subject_token })
    }
    for (const { denial } of await recorded()) {
      expect(denial?.reason).to.equal('subject token is invalid: unknown or expired')
    }
    await deployment.close()
  })

  it('the challenge for a DPoP nonce is no event', async () => {
    const { deployment, recorded } = await recording({
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
      expect((await deployment.exchange({ subject_token }, { dpop })).status).to.equal(200)
    }
    const names = new Set((await recorded()).map(({ name }) => name))
    expect([...names]).to.deep.equal(['impersonation.issued', 'impersonation.started'])
    await deployment.close()
  })

  it('denial.error is what the client was told', async () => {
    const { deployment, recorded } = await recording({
      configuration: {
        findAccount() {
          throw new errors.InvalidGrant('inner')
        },
      },
    })
    const { body } = await deployment.issue({ userId: 'alice' })
    const [denied] = await recorded()
    expect([body.error, denied?.denial?.error]).to.deep.equal(['server_error', 'server_error'])
    await deployment.close()
  })

  for (const [what, error] of [
    ['an error', new Error('disk full')],
    ['one of 500 or more', new errors.OIDCProviderError(503, 'temporarily_unavailable')],
  ] as const) {
    it(`a storage that fails with ${what} is a denial with server_error, and the inner reason`, async () => {
      const { deployment, recorded } = await recording({
        configuration: { adapter: memoryAdapterWith({ consumeOnce: () => Promise.reject(error) }) },
        impersonation: { ending: { enabled: false } },
      })
      const subject_token = await deployment.subjectToken()
      const { body } = await askUndescribed(() => deployment.exchange({ subject_token }))
      const { denial } = (await recorded()).at(-1) ?? {}
      expect([body.error, denial?.error]).to.deep.equal(['server_error', 'server_error'])
      expect([denial?.stage, denial?.reason]).to.deep.equal(['exchange', error.message])
      await deployment.close()
    })
  }

  const unreadable: Record<string, () => Error> = {
    'whose message throws': () =>
      Object.defineProperty(new Error('x'), 'message', { get: () => expect.fail('read') }),
    'whose cause throws': () =>
      new Error('x', { cause: new Proxy(new Error('y'), { get: () => expect.fail('read') }) }),
    'whose message is no text': () => Object.assign(new Error('x'), { message: { toString: 1 } }),
  }
  for (const [what, make] of Object.entries(unreadable)) {
    for (const stage of ['issue', 'exchange'] as const) {
      it(`a rule that throws an error ${what} is a denial at ${stage}, and ends no process`, async () => {
        const { deployment, recorded } = await recording({
          impersonation: {
            authorize: (request) => {
              if (request.stage === stage) throw make()
              return true
            },
          },
        })
        const { status } =
          stage === 'issue'
            ? await deployment.issue({ userId: 'alice' })
            : await deployment.exchange({ subject_token: await deployment.subjectToken() })
        const { denial } = (await recorded()).at(-1) ?? {}
        expect([status, denial?.stage, denial?.error]).to.deep.equal([500, stage, 'server_error'])
        expect(denial?.reason).to.match(/authorize failed .*: an error that cannot be read$/)
        await deployment.close()
      })
    }
  }
})

import { expect } from 'chai'
import { basic, deploy } from '../support/deployment.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { REFUSED } from '../support/http.ts'

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
})

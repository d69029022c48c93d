import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'

const EVENTS = ['impersonation.started', 'impersonation.denied', 'impersonation.replayed'] as const

const NOT_READY: [how: string, ready: () => boolean | Promise<boolean>][] = [
  ['says no', () => false],
  ['says nothing in time', () => new Promise(() => {})],
  ['rejects', () => Promise.reject(new Error('closed'))],
  ['answers no boolean', () => 'yes' as never],
]

describe('I13: an exchange waits for the audit before anything is used up', () => {
  for (const [how, ready] of NOT_READY) {
    it(`while a recorder's ready ${how}, an exchange is 503 with Retry-After, and does nothing`, async () => {
      const told: string[] = []
      let isReady = true
      await using deployment = await deploy({
        configuration: {
          features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } },
        },
      })
      const { provider, issuer } = deployment
      provider.impersonation.recordFirst(async () => {}, {
        ready: () => isReady || ready(),
        timeout: 0.02,
      })
      for (const name of EVENTS) provider.on(name, () => told.push(name))
      const subject_token = await deployment.subjectToken()
      const key = await dpopKey()
      const headers = { dpop: await key.proof({ htu: `${issuer}/token` }) }

      isReady = false
      for (const form of [{ subject_token }, { subject_token: 'guess' }]) {
        const { status, body, headers: sent } = await deployment.exchange(form, headers)
        expect([status, body.error, body.error_description]).to.deep.equal([
          503,
          'temporarily_unavailable',
          'nothing was done: try again later',
        ])
        expect([sent.get('retry-after'), sent.get('cache-control')]).to.deep.equal([
          '5',
          'no-store',
        ])
      }
      expect(told, 'no event').to.deep.equal([])

      isReady = true
      const again = await deployment.exchange({ subject_token }, headers)
      expect(
        [again.status, again.body.token_type],
        'the same token and the same proof',
      ).to.deep.equal([200, 'DPoP'])
    })
  }

  it('another grant does not wait, nor does an end', async () => {
    await using deployment = await deploy()
    const { impersonation } = deployment.provider
    await deployment.subjectToken()
    const { items } = await impersonation.list()
    impersonation.recordFirst(async () => {}, { ready: () => false })
    expect(await deployment.m2mToken()).to.be.a('string')
    const ended = await impersonation.end(items[0]?.id ?? '')
    expect(ended?.state).to.equal('ended')
  })

  it('an exchange that waits goes on once the audit is ready', async () => {
    await using deployment = await deploy()
    const asked = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<boolean>()
    const subject_token = await deployment.subjectToken()
    deployment.provider.impersonation.recordFirst(async () => {}, {
      ready: () => {
        asked.resolve()
        return ready.promise
      },
    })
    const exchange = deployment.exchange({ subject_token })
    await asked.promise
    ready.resolve(true)
    expect((await exchange).status).to.equal(200)
  })
})

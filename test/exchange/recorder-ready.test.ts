import { expect } from 'chai'
import { RecorderNotReady } from '../../src/index.ts'
import { expectRejection } from '../adapters/servers.ts'
import { EVENT_NAMES } from '../support/audit.ts'
import { deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { expectAnswer } from '../support/http.ts'

const AS = { as: 'backend' }

const NOT_READY: [how: string, ready: () => boolean | Promise<boolean>][] = [
  ['says no', () => false],
  ['says nothing in time', () => new Promise(() => {})],
  ['rejects', () => Promise.reject(new Error('closed'))],
  ['answers no boolean', () => 'yes' as never],
]

describe('I13: an issue and an exchange wait for the audit before anything is done', () => {
  for (const [how, ready] of NOT_READY) {
    it(`while a recorder's ready ${how}, an issue and an exchange are 503 with Retry-After, and do nothing`, async () => {
      const told: string[] = []
      let isReady = true
      const features = { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } }
      await using deployment = await deploy({ configuration: { features } })
      const { provider, issuer } = deployment
      const { impersonation } = provider
      impersonation.recordFirst(async () => {}, {
        ready: () => isReady || ready(),
        timeout: 0.02,
      })
      const subject_token = await deployment.subjectToken()
      const token = await deployment.m2mToken()
      for (const name of EVENT_NAMES) provider.on(name, () => told.push(name))
      const key = await dpopKey()
      const headers = { dpop: await key.proof({ htu: `${issuer}/token` }) }

      isReady = false
      for (const refused of [
        deployment.exchange({ subject_token }, headers),
        deployment.exchange({ subject_token: 'guess' }, headers),
        deployment.issueBy(token),
      ]) {
        const answer = await expectAnswer(refused, 503, {
          error: 'temporarily_unavailable',
          error_description: 'nothing was done: try again later',
        })
        const sent = ['retry-after', 'cache-control'].map((name) => answer.headers.get(name))
        expect(sent).to.deep.equal(['5', 'no-store'])
      }
      await expectRejection(impersonation.issue({ userId: 'alice' }, AS), RecorderNotReady)
      const { items } = await impersonation.list()
      expect([items.length, told], 'one before, and no event').to.deep.equal([1, []])

      isReady = true
      const { body } = await expectAnswer(deployment.exchange({ subject_token }, headers), 200)
      expect(body.token_type, 'the same token and the same proof').to.equal('DPoP')
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
    await expectAnswer(exchange, 200)
  })
})

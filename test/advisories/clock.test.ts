import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { at } from '../support/clock.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { expectRefused, SUBJECT_REFUSED } from './attacks.ts'

const HOUR = 3_600_000

describe('a clock that is an hour off', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(async () => {
    expect(deployment.serverErrors).to.deep.equal([])
    await deployment.close()
  })

  for (const [what, redeemedAt] of [
    ['ahead', HOUR],
    ['behind', -HOUR],
  ] as const) {
    it(`${what}, and then right again: what was redeemed stays redeemed`, async () => {
      let subject_token = ''
      await at(Date.now() + redeemedAt, async () => {
        subject_token = await deployment.subjectToken()
        const { body } = await expectAnswer(deployment.exchange({ subject_token }), 200)
        const { exp = 0, iat = 0 } = decodeJwt(body.access_token)
        expect(exp - iat).to.equal(900)
      })
      for (const off of [0, redeemedAt, -redeemedAt]) {
        await at(Date.now() + off, () =>
          expectRefused(deployment, { subject_token }, SUBJECT_REFUSED),
        )
      }
    })
  }

  it('behind, after the issue: good for one exchange, and for no other at any time', async () => {
    const subject_token = await deployment.subjectToken()
    await at(Date.now() - HOUR, async () => {
      await expectAnswer(deployment.exchange({ subject_token }), 200)
      await expectRefused(deployment, { subject_token }, SUBJECT_REFUSED)
    })
    for (const off of [0, HOUR]) {
      await at(Date.now() + off, () =>
        expectRefused(deployment, { subject_token }, SUBJECT_REFUSED),
      )
    }
  })
})

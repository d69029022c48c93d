import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { at } from '../support/clock.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { shared } from '../support/shared.ts'

const HOUR = 3_600_000

describe('a clock that is an hour off', () => {
  const deployment = shared(deploy)

  for (const [what, atIssue, atExchange] of [
    ['ahead', HOUR, HOUR],
    ['behind', -HOUR, -HOUR],
    ['behind, after the issue', 0, -HOUR],
  ] as const) {
    it(`${what}, and then right again: what was redeemed stays redeemed`, async () => {
      const subject_token = await at(Date.now() + atIssue, () => deployment.subjectToken())
      const exchange = () => deployment.exchange({ subject_token })
      await at(Date.now() + atExchange, async () => {
        const { body } = await expectAnswer(exchange(), 200)
        const { exp = 0, iat = 0 } = decodeJwt(body.access_token)
        expect(exp - iat).to.equal(900)
      })
      for (const off of [0, HOUR, -HOUR]) {
        await at(Date.now() + off, () => expectAnswer(exchange(), 400, REFUSED))
      }
    })
  }
})

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Example, exchange, issueDirectly, start } from './support.ts'

/** The default lifetime of the orders API's access tokens. */
const LONGEST = 600

describe('example provider: how long an impersonation lasts', () => {
  let example: Example
  before(async () => {
    example = await start()
  })
  after(() => example.close())

  async function lifeOf(context: object): Promise<unknown> {
    const issued = await issueDirectly(example.url, { userId: 'alice', context })
    expect(issued.status).to.equal(201)
    expect(issued.body.expiresIn, 'the subject token has its own').to.equal(600)
    const { status, body } = await exchange(example.url, issued.body.subjectToken)
    expect(status).to.equal(200)
    const { exp = 0, iat = 0 } = decodeJwt(String(body.access_token))
    expect(exp - iat).to.equal(body.expires_in)
    return body.expires_in
  }

  const why = { reason: 'Order lost', ticketId: 'SUP-1' }

  it('is as long as the context says, in seconds', async () => {
    for (const duration of [120, 1]) {
      expect(await lifeOf({ ...why, duration })).to.equal(duration)
    }
  })

  it('is never longer than the tokens of the orders API live', async () => {
    expect(await lifeOf(why)).to.equal(LONGEST)
    for (const duration of [LONGEST + 1, Number.MAX_SAFE_INTEGER]) {
      expect(await lifeOf({ ...why, duration })).to.equal(LONGEST)
    }
  })

  it('is not left open where the context says something that is no time: that is refused', async () => {
    for (const duration of [
      0,
      -120,
      1.5,
      2 ** 53,
      '120',
      '',
      null,
      true,
      [120],
      { seconds: 120 },
    ]) {
      const context = { ...why, duration }
      const { status, body } = await issueDirectly(example.url, { userId: 'alice', context })
      expect([status, body.error], JSON.stringify(duration)).to.deep.equal([403, 'access_denied'])
    }
  })

  it('protects people for however short a time', async () => {
    for (const userId of ['olivia', 'grace']) {
      const context = { ...why, duration: 1 }
      const { status, body } = await issueDirectly(example.url, { userId, context })
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
    }
  })
})

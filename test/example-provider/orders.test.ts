import { expect } from 'chai'
import { exchange, issueDirectly, type Started, send, start } from './support.ts'

describe('example provider: the orders of a customer', function () {
  this.timeout(30_000)
  let example: Started

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  it('come with the address that the customer has, so that nobody looks at an empty field', async () => {
    const { body: issued } = await issueDirectly(example.url, { userId: 'alice' })
    const { body: token } = await exchange(example.url, issued.subjectToken)
    const { status, body } = await send(`${example.url}/orders`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    })
    expect([status, body.email]).to.deep.equal([200, 'alice@example.com'])
  })
})

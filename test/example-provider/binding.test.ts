import { expect } from 'chai'
import { decodeJwt } from 'jose'
import {
  type Answer,
  type Example,
  exchange,
  issueDirectly,
  postJson,
  signIn,
  start,
} from './support.ts'

const REQUEST = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

describe('example provider: what the backend binds a token to', () => {
  let example: Example
  let olivia: string

  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const ask = (more: object = {}): Promise<Answer> =>
    postJson(`${example.url}/support/impersonations`, { ...REQUEST, ...more }, olivia)

  async function subjectToken(more: object = {}): Promise<string> {
    const { status, body } = await ask(more)
    expect(status).to.equal(201)
    return String(body.subjectToken)
  }

  function expectRefusal({ status, body }: Answer): void {
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
  }

  it('the operator: without an actor it is refused, and can be used afterwards', async () => {
    const token = await subjectToken()
    expectRefusal(await exchange(example.url, token))
    const { status, body } = await exchange(example.url, token, olivia)
    expect(status).to.equal(200)
    expect(decodeJwt(String(body.access_token)).act).to.deep.equal({ sub: 'olivia' })
  })

  for (const other of ['grace', 'alice', 'bob']) {
    it(`the operator: ${other}, who got hold of it, is refused`, async () => {
      const token = await subjectToken()
      expectRefusal(await exchange(example.url, token, await signIn(example.url, other)))
    })
  }

  it('the operator, not one token of hers: another sign-in will do', async () => {
    const { status } = await exchange(
      example.url,
      await subjectToken(),
      await signIn(example.url, 'olivia'),
    )
    expect(status).to.equal(200)
  })

  it('reading, unless the operator chose otherwise, whatever is asked for later', async () => {
    const { status, body } = await exchange(example.url, await subjectToken(), olivia, {
      scope: 'orders:read orders:write',
    })
    expect([status, body.scope]).to.deep.equal([200, 'orders:read'])
  })

  for (const scope of ['orders:read', 'orders:write', 'orders:write orders:read']) {
    it(`the scopes chosen: ${scope}`, async () => {
      const { body } = await exchange(example.url, await subjectToken({ scope }), olivia, {
        scope: 'orders:read orders:write',
      })
      expect(String(body.scope).split(' ')).to.have.members(scope.split(' '))
    })
  }

  it('the time chosen', async () => {
    const { status, body } = await ask({ expiresIn: 60 })
    expect([status, body.expiresIn]).to.deep.equal([201, 60])
    const real = Date.now
    Date.now = () => real() + 61_000
    try {
      expectRefusal(await exchange(example.url, body.subjectToken, olivia))
    } finally {
      Date.now = real
    }
  })

  it('the orders API, by its own word: another resource is refused', async () => {
    const answer = await exchange(example.url, await subjectToken(), olivia, {
      resource: `${example.url}/api`,
    })
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_target'])
    const elsewhere = await issueDirectly(example.url, {
      userId: 'alice',
      resource: 'https://elsewhere.example',
    })
    expectRefusal(await exchange(example.url, elsewhere.body.subjectToken))
  })
})

describe('example provider: what the machine-to-machine client asks for directly', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  it('with a user alone: bound to nothing, and no actor is needed', async () => {
    const { status, body } = await issueDirectly(example.url, { userId: 'alice' })
    expect([status, body.expiresIn]).to.deep.equal([201, 600])
    const exchanged = await exchange(example.url, body.subjectToken, undefined, {
      scope: 'orders:read orders:write',
    })
    expect(exchanged.status).to.equal(200)
    expect(exchanged.body.scope).to.equal('orders:read orders:write')
    expect(decodeJwt(String(exchanged.body.access_token))).not.to.have.property('act')
  })

  it('with a user alone, and the operator who signed in acts', async () => {
    const { body } = await issueDirectly(example.url, { userId: 'alice' })
    const bob = await signIn(example.url, 'bob')
    const exchanged = await exchange(example.url, body.subjectToken, bob)
    expect(decodeJwt(String(exchanged.body.access_token)).act).to.deep.equal({ sub: 'bob' })
  })

  for (const userId of ['grace', 'olivia']) {
    it(`for ${userId}, who is protected: 403 access_denied to all operators`, async () => {
      for (const more of [{}, { context: { reason: 'r' } }, { mayAct: { sub: 'olivia' } }]) {
        const { status, body } = await issueDirectly(example.url, { userId, ...more })
        expect([status, body.error]).to.deep.equal([403, 'access_denied'])
      }
    })
  }

  it('for an unknown user: 404, as before', async () => {
    const { status, body } = await issueDirectly(example.url, { userId: 'nobody' })
    expect([status, body.error]).to.deep.equal([404, 'user_not_found'])
  })
})

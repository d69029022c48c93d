import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Example } from '../../example-provider/server.ts'
import { act, entriesOf, get } from './audit-support.ts'
import { postJson, signIn, start } from './support.ts'

describe('example provider: the end of an impersonation', () => {
  let example: Example
  let olivia: string

  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const end = (body: unknown, token = olivia) =>
    postJson(`${example.url}/support/impersonations/end`, body, token)
  const endings = async () =>
    entriesOf(await get(`${example.url}/support/audit?event=support.ended`, olivia))

  it('is recorded with what it ends', async () => {
    const { jti } = await act(example.url, olivia)
    const { status, text, headers } = await end({ jti })
    expect([status, text, headers.get('cache-control')]).to.deep.equal([204, '', 'no-store'])
    const [ended] = await endings()
    const audit = await get(`${example.url}/support/audit?event=impersonation.granted`, olivia)
    const [granted] = entriesOf(audit)
    expect(ended).to.deep.include({
      event: 'support.ended',
      jti,
      id: granted?.id,
      subject: 'alice',
      actor: { sub: 'olivia' },
      context: granted?.context,
      grantedAt: granted?.time,
    })
    expect(Number(ended?.time)).to.be.at.least(Number(granted?.time))
  })

  it('is recorded once, said twice or many times at once', async () => {
    const { jti } = await act(example.url, olivia)
    const before = (await endings()).length
    const answers = await Promise.all(Array.from({ length: 10 }, () => end({ jti })))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(204))
    expect((await end({ jti })).status).to.equal(204)
    expect(await endings()).to.have.length(before + 1)
  })

  it('can be said at once, however soon after the exchange', async () => {
    const operators = await Promise.all(Array.from({ length: 5 }, () => act(example.url, olivia)))
    const answers = await Promise.all(operators.map(({ jti }) => end({ jti })))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(5).fill(204))
  })

  it('is not for what nobody began, nor for the id of something else', async () => {
    const { subjectToken, accessToken } = await act(example.url, olivia)
    const [granted] = entriesOf(await get(`${example.url}/support/audit?limit=1`, olivia))
    const before = (await endings()).length
    for (const jti of [
      'impersonation:unknown',
      randomUUID(),
      String(granted?.id),
      subjectToken,
      accessToken.slice(0, 255),
      '__proto__',
      '\0',
    ]) {
      const { status, body } = await end({ jti })
      expect([status, body.error], jti).to.deep.equal([404, 'not_found'])
    }
    expect(await endings()).to.have.length(before)
  })

  const wrong: [name: string, body: unknown][] = [
    ['jti', {}],
    ['jti', { jti: '' }],
    ['jti', { jti: 7 }],
    ['jti', { jti: null }],
    ['jti', { jti: ['impersonation:x'] }],
    ['jti', { jti: 'x'.repeat(256) }],
    ['a member other than jti', { jti: 'x', subject: 'bob' }],
    ['object', []],
    ['JSON', '{'],
  ]
  for (const [name, body] of wrong) {
    it(`is not said by ${JSON.stringify(body).slice(0, 40)}, naming ${name}`, async () => {
      const answer = await end(body)
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
      expect(answer.body.error_description).to.include(name)
    })
  }
})

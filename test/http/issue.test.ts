import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'

describe('POST /api/subject-tokens', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment.close())

  describe('success', () => {
    it('answers 201, no-store, and exactly subjectToken and expiresIn', async () => {
      const { status, headers, body } = await deployment.issue({ userId: 'alice' })
      expect(status).to.equal(201)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(body).to.have.all.keys('subjectToken', 'expiresIn')
      expect(body.expiresIn).to.equal(600)
      expect(body.subjectToken).to.match(/^[A-Za-z0-9_-]{43}$/)
    })

    it('never issues the same token twice', async () => {
      const token = await deployment.m2mToken()
      const issued = await Promise.all(
        Array.from({ length: 50 }, () => deployment.issue({ userId: 'alice' }, { token })),
      )
      expect(new Set(issued.map(({ body }) => body.subjectToken)).size).to.equal(50)
    })

    it('answers a trailing charset and upper case in the media type', async () => {
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
      expect((await deployment.issue({ userId: 'alice' }, { headers })).status).to.equal(201)
    })
  })

  describe('400 invalid_request, naming the member', () => {
    const cases: Array<[what: string, body: unknown, description: RegExp]> = [
      ['no body', '', /userId is required/],
      ['broken JSON', '{"userId":', /not a valid JSON object/],
      ['null', 'null', /not a valid JSON object/],
      ['userId missing', { context: {} }, /userId is required/],
      ['userId with a blank', { userId: 'root ' }, /^userId must not begin or end with/],
      [
        'mayAct.sub with a blank',
        { userId: 'alice', mayAct: { sub: '\u200bolivia' } },
        /^mayAct.sub must not begin or end with/,
      ],
      [
        'context over 4 KiB',
        { userId: 'alice', context: { reason: 'x'.repeat(4096) } },
        /context must not exceed 4096 bytes/,
      ],
      ['__proto__', '{"userId":"alice","__proto__":{"context":{}}}', /not a valid JSON object/],
    ]
    for (const [what, body, description] of cases) {
      it(what, async () => {
        const answer = await deployment.issue(body)
        expect(answer.status).to.equal(400)
        expect(answer.body).to.have.all.keys('error', 'error_description')
        expect(answer.body.error).to.equal('invalid_request')
        expect(answer.body.error_description).to.match(description)
        expect(answer.headers.get('cache-control')).to.equal('no-store')
      })
    }
  })

  it('answers 413 to a body over the limit, also when its length is not announced', async () => {
    const big = JSON.stringify({ userId: 'alice', context: { reason: 'x'.repeat(1_000_000) } })
    const announced = await deployment.issue(big)
    expect(announced.status).to.equal(413)
    expect(announced.body.error).to.equal('invalid_request')
    const chunked = await fetch(`${deployment.base}/api/subject-tokens`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await deployment.m2mToken()}`,
        'content-type': 'application/json',
      },
      ...{ body: new Blob([big]).stream(), duplex: 'half' },
    })
    expect(chunked.status).to.equal(413)
    expect(await chunked.json()).to.include({ error: 'invalid_request' })
  })

  it('answers 415 to every other media type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/xml']) {
      const headers = { 'content-type': type }
      const { status, body } = await deployment.issue('{"userId":"alice"}', { headers })
      expect([status, body.error], type).to.deep.equal([415, 'invalid_request'])
    }
  })

  it('answers 415 to a compressed body, which it does not inflate', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const { status, body } = await deployment.issue('{"userId":"alice"}', { headers })
    expect([status, body.error]).to.deep.equal([415, 'invalid_request'])
  })

  it('answers 405 with Allow to every other method', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${deployment.base}/api/subject-tokens`, { method })
      expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'POST'])
      expect(await response.json()).to.have.all.keys('error', 'error_description')
    }
  })

  it('answers 404 user_not_found for a user that findAccount does not find', async () => {
    const { status, body } = await deployment.issue({ userId: 'nobody' })
    expect(status).to.equal(404)
    expect(body.error).to.equal('user_not_found')
    expect(body.error_description).to.be.a('string')
  })

  it('answers 404 where findAccount reads another user out of the userId', async () => {
    await using lenient = await deploy({
      configuration: {
        findAccount: (_ctx, id) => {
          const accountId = String(Number.parseInt(id, 10))
          return accountId === '1' ? { accountId, claims: () => ({ sub: accountId }) } : undefined
        },
      },
    })
    for (const userId of ['1abc', '01', '1.9']) {
      const { status, body } = await lenient.issue({ userId })
      expect([status, body.error], userId).to.deep.equal([404, 'user_not_found'])
    }
    expect((await lenient.issue({ userId: '1' })).status).to.equal(201)
  })

  it('authenticates before it reads the body', async () => {
    const { status } = await deployment.issue('{"userId":', { token: 'wrong' })
    expect(status).to.equal(401)
  })
})

import { hash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { errors } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { around, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { expectAnswer, expectUncached } from '../support/http.ts'
import { managing } from '../support/managing.ts'

const nested = (depth: number) =>
  `{"userId":"alice","context":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
const alice = (members: object) => ({ userId: 'alice', ...members })

describe('POST /api/subject-tokens', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(async () => {
    deployment.expectNoErrors()
    await deployment.close()
  })

  it('answers 201, no-store, and exactly subjectToken and expiresIn', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    const answer = await expectAnswer(deployment.issue({ userId: 'alice' }, { headers }), 201)
    expectUncached(answer.headers)
    expect(answer.headers.get('content-type')).to.match(/^application\/json/)
    expect(answer.body).to.have.all.keys('subjectToken', 'expiresIn')
    expect(answer.body.expiresIn).to.equal(600)
    expect(answer.body.subjectToken).to.match(/^[A-Za-z0-9_-]{43}$/)
  })

  // Other bodies that are refused: ../issue/request.test.ts.
  const refused: Array<[body: unknown, description: RegExp]> = [
    ['', /userId is required/],
    ['{"userId":', /not a valid JSON object/],
    ['null', /not a valid JSON object/],
    [alice({ context: { reason: 'x'.repeat(4096) } }), /context must not exceed 4096 bytes/],
    ['{"userId":"alice","__proto__":{"context":{}}}', /not a valid JSON object/],
    [nested(33), /nested deeper/],
    [nested(2700), /./],
  ]
  it('400 invalid_request, naming the member', async () => {
    for (const [body, description] of refused) {
      const what = JSON.stringify(body).slice(0, 60)
      const answer = await expectAnswer(deployment.issue(body), 400, 'invalid_request', what)
      expect(answer.body.error_description, what).to.match(description)
      expectUncached(answer.headers)
    }
  })

  it('413 also to a body whose length is not announced', async () => {
    const big = JSON.stringify(alice({ context: { reason: 'x'.repeat(1_000_000) } }))
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

  it('413 to a body over the limit, 415 to every other media type, charset and encoding, and 400 to what is not UTF-8, at every route', async () => {
    await using managed = await managing()
    const { id, token } = await managed.impersonate()
    const { base, token: manager } = managed
    const routes: Record<string, string> = {
      '/api/subject-tokens': manager,
      '/api/impersonations/end': manager,
      [`/api/impersonations/${id}/end`]: manager,
      '/oidc/impersonations/current/end': token,
    }
    const json = 'application/json'
    const unsupported = [
      ...['application/x-www-form-urlencoded', 'text/plain', 'application/xml'].map((type) => [
        type,
      ]),
      ...['iso-8859-1', 'utf-16', 'bogus', '""'].map((charset) => [`${json}; charset=${charset}`]),
      ...['gzip', 'GZIP', 'br'].map((encoding) => [json, encoding]),
    ]
    const latin1 = Buffer.from('{"userId":"José","reason":"é"}', 'latin1')
    for (const [path, bearer] of Object.entries(routes)) {
      const statusOf = async (body: string | Uint8Array<ArrayBuffer>, type = '', encoding = '') => {
        const headers = {
          authorization: `Bearer ${bearer}`,
          'content-type': type,
          'content-encoding': encoding,
        }
        return (await fetch(base + path, { method: 'POST', headers, body })).status
      }
      expect(await statusOf(`"${'x'.repeat(17_000)}"`, json), path).to.equal(413)
      for (const how of unsupported) expect(await statusOf('{}', ...how), path).to.equal(415)
      for (const type of [json, `${json}; charset="UTF-8"`]) {
        expect(await statusOf(latin1, type), path).to.equal(400)
      }
    }
    await managed.expectState(id, 'active')
  })

  it('authenticates before it reads the body', async () => {
    await expectAnswer(deployment.issue('{"userId":', { token: 'wrong' }), 401)
  })

  it('a body that breaks off is no server error', async () => {
    const authorization = `Bearer ${await deployment.m2mToken()}`
    const broken = request(`${deployment.base}/api/subject-tokens`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'content-length': 100 },
    })
    broken.on('error', () => {})
    const denied = once(deployment.provider, 'impersonation.denied')
    broken.write('{"userId":')
    await wait(50)
    broken.destroy()
    const [, { denial }] = await denied
    expect(denial.error).to.equal('invalid_request')
  })

  it('a server_error listener that throws changes nothing for the caller', async () => {
    await using failing = await deploy({
      adapter: memoryAdapterWith({ upsert: () => Promise.reject(new Error()) }),
    })
    failing.provider.on('server_error', () => {
      throw new Error('listener')
    })
    await expectAnswer(failing.issue(), 500, 'server_error')
  })

  it('404 for a user that findAccount does not find, or reads out of the userId; 403 if it refuses; I5: 500 if it fails', async () => {
    await using strict = await deploy({
      configuration: {
        findAccount(_ctx, id) {
          if (id === 'down') throw new Error('the directory is down')
          if (id === 'protected') throw new errors.AccessDenied('this account is protected')
          const accountId = String(Number.parseInt(id, 10))
          return accountId === '1' ? { accountId, claims: () => ({ sub: accountId }) } : undefined
        },
      },
    })
    const unknown = [404, 'user_not_found', 'no such user']
    for (const [userId, ...answered] of [
      ['1', 201, undefined, undefined],
      ...['nobody', '1abc', '01', '1.9'].map((id) => [id, ...unknown]),
      ['protected', 403, 'access_denied', 'this account is protected'],
      ['down', 500, 'server_error', 'oops! something went wrong'],
    ]) {
      const { status, body } = await strict.issue({ userId })
      expect([status, body.error, body.error_description]).to.deep.equal(answered)
    }
  })

  it('I6: the adapter never sees the value of a subject token, only its SHA-256', async () => {
    const seen: string[] = []
    const adapter = around(createMemoryAdapter(), (_method, args, call) => {
      seen.push(JSON.stringify(args))
      return call()
    })
    await using observed = await deploy({ adapter })
    const value = await observed.subjectToken()
    await observed.exchange({ subject_token: value })
    expect(seen.filter((args) => args.includes(value))).to.deep.equal([])
    const id = hash('sha256', value, 'base64url')
    expect(seen.filter((args) => args.includes(id)).length).to.equal(3)
  })
})

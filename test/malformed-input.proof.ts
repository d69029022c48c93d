import { expect } from 'chai'
import fc from 'fast-check'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../src/index.ts'
import { deploy } from './support/deployment.ts'
import { expectAnswer } from './support/http.ts'
import { shared } from './support/shared.ts'

const RUNS = { numRuns: 300 }

describe('malformed input: no 5xx, no token, no crash', () => {
  let m2m: string
  let actor: string
  const deployment = shared(deploy)
  before(async () => {
    m2m = await deployment.m2mToken()
    actor = await deployment.actorToken()
  })
  afterEach(() => deployment.expectNoErrors())

  const clientError = (status: number) => status >= 400 && status < 500

  it('POST /api/subject-tokens: any JSON body, and members of every type and size', () => {
    const members = fc.record(
      {
        userId: fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.jsonValue()),
        context: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())),
      },
      { requiredKeys: [] },
    )
    return fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), members), async (body) => {
        const answer = await deployment.issue(body, { token: m2m })
        expect(answer.status).to.satisfy(clientError)
        expect(answer.body).to.have.all.keys('error', 'error_description')
      }),
      { numRuns: 600 },
    )
  })

  it('POST /api/subject-tokens: bytes, under any media type and encoding', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2000 }),
        fc.constantFrom('application/json', 'text/json', 'application/json; charset=utf-16', 'x'),
        fc.constantFrom('identity', 'gzip', 'br', 'deflate', 'x-unknown'),
        async (bytes, type, encoding) => {
          const response = await fetch(`${deployment.base}/api/subject-tokens`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${m2m}`,
              'content-type': type,
              'content-encoding': encoding,
            },
            body: new Uint8Array(bytes),
          })
          expect(response.status).to.satisfy(clientError)
          await response.body?.cancel()
        },
      ),
      RUNS,
    ))

  it('POST /oidc/token: any value in any field', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.constantFrom('', ACCESS_TOKEN_TYPE, '\u0000', '\ud800', 'a.b.c', 'a.b', m2m, actor, '%00'),
      fc.string({ minLength: 4001, maxLength: 4001 }),
    )
    const field = fc.oneof(value, fc.array(value, { maxLength: 3 }))
    const form = fc.record(
      {
        subject_token: field,
        subject_token_type: fc.oneof(fc.constant(ACCESS_TOKEN_TYPE), field),
        actor_token: field,
        actor_token_type: fc.oneof(fc.constant(ACCESS_TOKEN_TYPE), field),
        requested_token_type: fc.oneof(fc.constant(ACCESS_TOKEN_TYPE), field),
        resource: field,
        audience: field,
        scope: field,
        __proto__: field,
        constructor: field,
      },
      { requiredKeys: [] },
    )
    return fc.assert(
      fc.asyncProperty(form, async (fields) => {
        const { body } = await expectAnswer(
          deployment.post('/oidc/token', {
            grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
            client_id: 'console',
            ...fields,
          }),
          400,
        )
        expect(body).to.have.property('error')
        expect(body).to.not.have.property('access_token')
      }),
      RUNS,
    )
  })
})

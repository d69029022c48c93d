import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { quietly } from '../../packages/console/test/support/quietly.ts'
import { type Example, send, signIn, start } from './support.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const BODIES: [what: string, body: Buffer<ArrayBuffer>, coding: string][] = [
  ['broken gzip', Buffer.from('this is not gzip'), 'gzip'],
  ['cut off', gzipSync('x'.repeat(1000)).subarray(0, 15), 'gzip'],
  ['whole', gzipSync('grant_type=client_credentials'), 'gzip'],
  ['empty', Buffer.alloc(0), 'gzip'],
  ['broken brotli', Buffer.from('x'), 'br'],
  ['broken deflate', Buffer.from('x'), 'Deflate'],
  ['twice', Buffer.from('x'), 'gzip, gzip'],
  ['of no known coding', Buffer.from('x'), 'nonsense'],
]

describe('example provider: a compressed body', function () {
  this.timeout(120_000)
  let example: Example
  let olivia: string
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const endpoints: [method: string, path: string, type: string][] = [
    ['POST', '/sign-in/some-uid', FORM],
    ['POST', '/sign-in/some-uid/abort', FORM],
    ['POST', '/support/impersonations', JSON_TYPE],
    ['POST', '/account/impersonations/end', JSON_TYPE],
    ['PATCH', '/orders/A-1003', JSON_TYPE],
    ['PUT', '/orders/email', JSON_TYPE],
    ['POST', '/oidc/token', FORM],
    ['POST', '/oidc/auth', FORM],
    ['POST', '/oidc/token/introspection', FORM],
    ['POST', '/oidc/token/revocation', FORM],
    ['POST', '/oidc/session/end', FORM],
    ['POST', '/oidc/me', FORM],
  ]
  for (const [method, path, type] of endpoints) {
    it(`at ${method} ${path} is a 415 and one line, whatever is in it`, async () => {
      for (const [what, body, coding] of BODIES) {
        const { stderr } = await quietly(async () => {
          const headers = {
            'content-type': type,
            'content-encoding': coding,
            authorization: `Bearer ${olivia}`,
          }
          const answer = await send(`${example.url}${path}`, { method, headers, body })
          expect([answer.status, answer.body.error], what).to.deep.equal([415, 'invalid_request'])
          expect(answer.headers.get('accept-encoding')).to.equal('identity')
        })
        const line = `${method} ${path}: 415, Content-Encoding ${coding.toLowerCase()}`
        expect(stderr, what).to.deep.equal([line])
      }
    })
  }

  it('at the management API is a 415, too, and an event', async () => {
    const { stdout, stderr } = await quietly(async () => {
      const machine = await send(`${example.url}/oidc/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('support-backend:support-backend-secret')}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: `${example.url}/api`,
          scope: 'impersonate',
        }),
      })
      for (const [what, body, coding] of BODIES) {
        const { status } = await send(`${example.url}/api/subject-tokens`, {
          method: 'POST',
          headers: {
            'content-type': JSON_TYPE,
            'content-encoding': coding,
            authorization: `Bearer ${machine.body.access_token}`,
          },
          body,
        })
        expect(status, what).to.equal(415)
      }
    })
    expect([stdout.length, stderr]).to.deep.equal([BODIES.length, []])
  })

  it('that says that it is not compressed is read', async () => {
    const { status } = await send(`${example.url}/support/impersonations`, {
      method: 'POST',
      headers: {
        'content-type': JSON_TYPE,
        'content-encoding': 'identity',
        authorization: `Bearer ${olivia}`,
      },
      body: JSON.stringify({ userId: 'alice', reason: 'r', ticketId: 't' }),
    })
    expect(status).to.equal(201)
  })
})

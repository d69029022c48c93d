import { expect } from 'chai'
import { basic, type Example, postForm, send, start } from './support.ts'

const SECRET = { client_id: 'support-backend', client_secret: 'support-backend-secret' }

describe('example provider: how clients authenticate', () => {
  let example: Example
  before(async () => {
    example = await start()
  })
  after(() => example.close())

  it('is HTTP Basic, or nothing for a public client; discovery says so', async () => {
    const { body } = await send(`${example.url}/oidc/.well-known/openid-configuration`)
    const methods = ['client_secret_basic', 'none']
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      const supported = body[`${endpoint}_endpoint_auth_methods_supported`]
      // Absent, it is that of the token endpoint (RFC 8414 §2).
      if (supported !== undefined) expect(supported, endpoint).to.have.members(methods)
    }
    expect(body.token_endpoint_auth_methods_supported).to.have.members(methods)
  })

  it('is not a secret in the body', async () => {
    const { authorization } = basic(SECRET.client_id, SECRET.client_secret)
    for (const [path, fields] of [
      ['token', { grant_type: 'client_credentials' }],
      ['token/introspection', { token: 'x' }],
    ] as const) {
      const url = `${example.url}/oidc/${path}`
      expect((await postForm(url, fields, { authorization })).status, path).to.equal(200)
      const { status, body } = await postForm(url, { ...fields, ...SECRET })
      expect([status, body.error], path).to.deep.equal([401, 'invalid_client'])
    }
  })
})

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { ACCESS_TOKEN_TYPE } from '../../src/index.ts'
import { type Deployment, deploy, type Form } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('RFC 8693: what an authorization server must do', () => {
  let deployment: Deployment
  let olivia: string
  before(async () => {
    deployment = await deploy()
    olivia = (await signIn(deployment, 'olivia')).access_token
  })
  after(() => deployment.close())

  /** An error response, and a subject token that is as good as before. */
  async function expectError(form: Form, error: string): Promise<string> {
    const subject_token = await deployment.subjectToken()
    const { status, headers, body } = await deployment.exchange({ subject_token, ...form })
    expect([status, body.error], JSON.stringify(body)).to.deep.equal([400, error])
    expect(headers.get('content-type')).to.match(/^application\/json/)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body).to.have.all.keys('error', 'error_description')
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    return body.error_description
  }

  async function exchanged(form: Form = {}) {
    const subject_token = await deployment.subjectToken()
    const { status, headers, body } = await deployment.exchange({ subject_token, ...form })
    expect(status, JSON.stringify(body)).to.equal(200)
    return { headers, body }
  }

  describe('§2.1 Request', () => {
    it('§2.1 the request is a POST with a form in its body', async () => {
      const subject_token = await deployment.subjectToken()
      const query = new URLSearchParams({ subject_token, client_id: 'console' })
      const got = await fetch(`${deployment.issuer}/token?${query}`)
      expect(got.status).to.be.within(400, 499)
      const json = await fetch(`${deployment.issuer}/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ subject_token, client_id: 'console' }),
      })
      expect(json.status).to.equal(400)
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })

    it('§2.1 grant_type is REQUIRED', () =>
      expectError({ grant_type: undefined }, 'invalid_request'))

    it('§2.1 resource MUST be an absolute URI', async () => {
      for (const resource of ['/orders', 'orders', '//orders.example/']) {
        await expectError({ resource }, 'invalid_target')
      }
    })

    it('§2.1 resource MUST NOT include a fragment', () =>
      expectError({ resource: `${deployment.orders}#fragment` }, 'invalid_target'))

    it('§2.1 subject_token is REQUIRED', async () => {
      expect(await expectError({ subject_token: undefined }, 'invalid_request')).to.match(
        /subject_token is required/,
      )
    })

    it('§2.1 subject_token_type is REQUIRED', async () => {
      expect(await expectError({ subject_token_type: undefined }, 'invalid_request')).to.match(
        /subject_token_type is required/,
      )
    })

    it('§2.1 actor_token_type is REQUIRED when there is an actor_token', async () => {
      const form = { actor_token: olivia, actor_token_type: undefined }
      expect(await expectError(form, 'invalid_request')).to.match(/actor_token_type is required/)
    })

    it('§2.1 actor_token_type MUST NOT be included otherwise', async () => {
      const form = { actor_token_type: ACCESS_TOKEN_TYPE }
      expect(await expectError(form, 'invalid_request')).to.match(/actor_token_type must not/)
    })

    it('§2.1 the server MUST perform the validation that goes with the type of the subject token', async () => {
      for (const type of ['jwt', 'id_token', 'refresh_token', 'saml1', 'saml2']) {
        const subject_token_type = `urn:ietf:params:oauth:token-type:${type}`
        const description = await expectError({ subject_token_type }, 'invalid_request')
        expect(description).to.match(/subject_token_type must be/)
      }
      await expectError({ subject_token: olivia }, 'invalid_request')
    })

    it('§2.1 and, if there is an actor token, the validation that goes with its type', async () => {
      for (const type of ['jwt', 'id_token', 'refresh_token', 'saml1', 'saml2']) {
        const actor_token_type = `urn:ietf:params:oauth:token-type:${type}`
        const form = { actor_token: olivia, actor_token_type }
        expect(await expectError(form, 'invalid_request')).to.match(/actor_token_type must be/)
      }
      const { id_token } = await signIn(deployment, 'olivia')
      await expectError({ actor_token: id_token }, 'invalid_request')
    })
  })

  describe('§2.2.1 Successful Response', () => {
    it('§2.2.1 is 200, JSON, and not to be cached (RFC 6749 §5.1)', async () => {
      const { headers } = await exchanged()
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(headers.get('cache-control')).to.equal('no-store')
    })

    it('§2.2.1 access_token is REQUIRED', async () => {
      expect((await exchanged()).body.access_token).to.be.a('string').that.is.not.empty
    })

    it('§2.2.1 issued_token_type is REQUIRED: what was requested, or what was decided', async () => {
      for (const requested_token_type of [undefined, ACCESS_TOKEN_TYPE]) {
        const { body } = await exchanged({ requested_token_type })
        expect(body.issued_token_type).to.equal(ACCESS_TOKEN_TYPE)
      }
      for (const type of ['refresh_token', 'id_token', 'jwt', 'saml2']) {
        const requested_token_type = `urn:ietf:params:oauth:token-type:${type}`
        await expectError({ requested_token_type }, 'invalid_request')
      }
    })

    it('§2.2.1 token_type is REQUIRED', async () => {
      expect((await exchanged()).body.token_type).to.equal('Bearer')
    })

    it('§2.2.1 scope is REQUIRED where it is not the scope that was requested', async () => {
      const { body } = await exchanged({ scope: 'orders:read orders:admin' })
      expect(body.scope).to.equal('orders:read')
      expect(decodeJwt(body.access_token).scope).to.equal('orders:read')
    })

    it('§2.2.1 expires_in says how long the token is valid', async () => {
      const { body } = await exchanged()
      const { exp = 0, iat = 0 } = decodeJwt(body.access_token)
      expect(body.expires_in).to.equal(exp - iat)
    })
  })

  describe('§2.2.2 Error Response', () => {
    it('§2.2.2 the error MUST be invalid_request where the subject token is invalid for any reason', async () => {
      const used = await deployment.subjectToken()
      await deployment.exchange({ subject_token: used })
      for (const subject_token of ['unknown', used, used.slice(0, -1), 'a.b.c']) {
        await expectError({ subject_token }, 'invalid_request')
      }
    })

    it('§2.2.2 and where the actor token is invalid for any reason', async () => {
      const { access_token } = await signIn(deployment, 'olivia')
      const form = { token: access_token, client_id: 'console' }
      await deployment.post('/oidc/token/revocation', form)
      for (const actor_token of ['unknown', access_token, 'a.b.c', await deployment.m2mToken()]) {
        await expectError({ actor_token }, 'invalid_request')
      }
    })

    // Bindings and targets that are refused: ../policy/binding.test.ts, ../exchange/target.test.ts.
  })
})

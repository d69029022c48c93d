import { expect } from 'chai'
import { ACCESS_TOKEN_TYPE } from '../../src/index.ts'
import { type Deployment, deploy, type Form } from '../support/deployment.ts'

describe('the exchange request', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment.close())

  describe('400 invalid_request', () => {
    // What RFC 8693 says of the parameters is in ../rfc8693/requirements.test.ts.
    const cases: Array<[what: string, form: Form, description: RegExp]> = [
      ['subject_token empty', { subject_token: '' }, /subject_token is required/],
      ['subject_token repeated', { subject_token: ['a', 'b'] }, /subject_token.*twice/],
      [
        'subject_token_type repeated',
        { subject_token_type: [ACCESS_TOKEN_TYPE, ACCESS_TOKEN_TYPE] },
        /subject_token_type.*twice/,
      ],
      ['actor_token repeated', { actor_token: ['x', 'y'] }, /actor_token.*twice/],
      ['actor_token garbage', { actor_token: 'x' }, /actor token is invalid/],
      [
        'requested_token_type a refresh token',
        { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
        /requested_token_type must be/,
      ],
      ['scope repeated', { scope: ['orders:read', 'orders:write'] }, /scope.*twice/],
    ]
    for (const [what, form, description] of cases) {
      it(what, async () => {
        const subject_token = await deployment.subjectToken()
        const { status, body } = await deployment.exchange({ subject_token, ...form })
        expect(status).to.equal(400)
        expect(body.error).to.equal('invalid_request')
        expect(body.error_description).to.match(description)
        // I2: a refused request leaves the token usable.
        expect((await deployment.exchange({ subject_token })).status).to.equal(200)
      })
    }
  })

  it('with actorToken.required, an exchange without one is 400 invalid_request', async () => {
    await using other = await deploy({ impersonation: { actorToken: { required: true } } })
    const subject_token = await other.subjectToken()
    const { status, body } = await other.exchange({ subject_token })
    expect(status).to.equal(400)
    expect(body).to.deep.equal({
      error: 'invalid_request',
      error_description: 'actor_token is required',
    })
  })
})

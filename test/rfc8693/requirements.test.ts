import { expect } from 'chai'
import { ACCESS_TOKEN_TYPE } from '../../src/index.ts'
import { deploy, type Form } from '../support/deployment.ts'
import { expectAnswer, expectUncached } from '../support/http.ts'
import { claimsOf } from '../support/own-hooks.ts'
import { shared } from '../support/shared.ts'

const TYPES = ['jwt', 'id_token', 'refresh_token', 'saml1', 'saml2'].map(
  (type) => `urn:ietf:params:oauth:token-type:${type}`,
)

/** Requests that are refused: the error, what its description says, and what is wrong with them. */
const REFUSED: ReadonlyArray<
  [clause: string, error: string, description: RegExp, ...forms: Form[]]
> = [
  ['§2.1 grant_type is REQUIRED', 'invalid_request', /grant_type/, { grant_type: undefined }],
  [
    '§2.1 resource MUST be an absolute URI',
    'invalid_target',
    /./,
    ...['/orders', 'orders', '//orders.example/'].map((resource) => ({ resource })),
  ],
  [
    '§2.1 resource MUST NOT include a fragment',
    'invalid_target',
    /./,
    { resource: 'https://orders.example/#fragment' },
  ],
  [
    '§2.1 subject_token is REQUIRED',
    'invalid_request',
    /subject_token is required/,
    { subject_token: undefined },
    { subject_token: '' },
  ],
  [
    '§2.1 subject_token_type is REQUIRED',
    'invalid_request',
    /subject_token_type is required/,
    { subject_token_type: undefined },
  ],
  [
    '§2.1 actor_token_type is REQUIRED when there is an actor_token',
    'invalid_request',
    /actor_token_type is required/,
    { actor_token: 'x', actor_token_type: undefined },
  ],
  [
    '§2.1 actor_token_type MUST NOT be included otherwise',
    'invalid_request',
    /actor_token_type must not/,
    { actor_token_type: ACCESS_TOKEN_TYPE },
  ],
  [
    '§2.1 the server MUST perform the validation that goes with the type of the subject token',
    'invalid_request',
    /subject_token_type must be/,
    ...TYPES.map((subject_token_type) => ({ subject_token_type })),
  ],
  [
    '§2.1 and, if there is an actor token, the validation that goes with its type',
    'invalid_request',
    /actor_token_type must be/,
    ...TYPES.map((actor_token_type) => ({ actor_token: 'x', actor_token_type })),
  ],
  [
    '§2.2.1 issued_token_type is what was requested, or a request for it is refused',
    'invalid_request',
    /requested_token_type must be/,
    ...TYPES.map((requested_token_type) => ({ requested_token_type })),
  ],
  [
    '§2.2.2 the error MUST be invalid_request where the subject token is invalid',
    'invalid_request',
    /^subject token is invalid$/,
    ...['unknown', 'a.b.c'].map((subject_token) => ({ subject_token })),
  ],
  [
    '§2.2.2 and where the actor token is invalid',
    'invalid_request',
    /^actor token is invalid$/,
    ...['unknown', 'a.b.c'].map((actor_token) => ({ actor_token })),
  ],
  // RFC 6749 §3.2: "Request and response parameters MUST NOT be included more than once."
  ...['subject_token', 'subject_token_type', 'actor_token', 'scope'].map(
    (name): [string, string, RegExp, Form] => [
      `RFC 6749 §3.2 ${name} MUST NOT be repeated`,
      'invalid_request',
      new RegExp(`${name}.*twice`),
      { [name]: [ACCESS_TOKEN_TYPE, ACCESS_TOKEN_TYPE] },
    ],
  ),
]

describe('RFC 8693: what an authorization server must do', () => {
  let olivia: string
  const claims = { act: { sub: 'mallory', exp: 1 }, may_act: { sub: 'mallory' } }
  const deployment = shared(() => deploy({ impersonation: { getCustomJwtClaims: () => claims } }))
  before(async () => {
    olivia = await deployment.actorToken()
  })

  for (const [clause, error, description, ...forms] of REFUSED) {
    it(`${clause}: ${error}, and the subject token is as good as before`, async () => {
      const subject_token = await deployment.subjectToken()
      for (const form of forms) {
        const refused = deployment.exchange({ subject_token, ...form })
        const { headers, body } = await expectAnswer(refused, 400, error)
        expect(body.error_description).to.match(description)
        expect(headers.get('content-type')).to.match(/^application\/json/)
        expectUncached(headers)
        expect(body).to.have.all.keys('error', 'error_description')
      }
      await deployment.redeem(subject_token)
    })
  }

  async function exchanged(form: Form = {}, binding: object = {}) {
    const subject_token = await deployment.subjectToken(binding)
    const answer = deployment.exchange({ subject_token, ...form })
    const { headers, body } = await expectAnswer(answer, 200)
    return { headers, body, claims: await claimsOf(deployment, body.access_token) }
  }

  it('§2.2.1 the response is 200, JSON, not to be cached, with access_token, its types, its life and the scope, and never a refresh or ID token', async () => {
    for (const requested_token_type of [undefined, ACCESS_TOKEN_TYPE]) {
      const scope = 'openid offline_access orders:read orders:admin'
      const form = { requested_token_type, scope }
      const { headers, body, claims } = await exchanged(form)
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expectUncached(headers)
      expect(body).to.deep.equal({
        access_token: body.access_token,
        issued_token_type: ACCESS_TOKEN_TYPE,
        token_type: 'Bearer',
        expires_in: Number(claims.exp) - Number(claims.iat),
        scope: 'openid orders:read',
      })
      expect(claims.scope).to.equal('openid orders:read')
    }
  })

  it('§4.1 act is an object of identity claims alone, in a JWT and in introspection; no act without an actor', async () => {
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const { claims } = await exchanged({ actor_token: olivia, resource })
      expect(claims.act).to.deep.equal({ sub: 'olivia' })
      const { claims: without } = await exchanged({ resource }, { mayAct: { clientId: 'console' } })
      // §4.4: may_act says who may act, and is neither an actor nor passed on.
      expect(without).to.not.have.any.keys('act', 'may_act')
    }
  })

  // §4.4, only the party that may_act names: ../policy/binding.test.ts.
  it('§5 delegated rights are limited: by scope, by lifetime, by the client that exchanges', async () => {
    const { claims } = await exchanged({ actor_token: olivia })
    expect(Number(claims.exp) - Number(claims.iat)).to.equal(900)
    const { orders: aud } = deployment
    expect(claims).to.include({ scope: 'orders:read', aud, client_id: 'console' })
    const subject_token = await deployment.subjectToken()
    const anonymous = await deployment.exchange({ subject_token, client_id: undefined })
    expect(anonymous.status).to.be.oneOf([400, 401])
    // A confidential client that does not authenticate is nobody.
    await expectAnswer(
      deployment.exchange({ subject_token, client_id: 'web' }),
      401,
      'invalid_client',
    )
    await deployment.redeem(subject_token)
  })
})

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('RFC 8693: what an authorization server must do with act and may_act', () => {
  let deployment: Deployment
  let olivia: string
  before(async () => {
    deployment = await deploy({
      impersonation: {
        getCustomJwtClaims: () => ({
          act: { sub: 'mallory', exp: 1 },
          may_act: { sub: 'mallory' },
        }),
      },
    })
    olivia = (await signIn(deployment, 'olivia')).access_token
  })
  after(() => deployment.close())

  async function bound(userId: string, mayAct?: object): Promise<string> {
    const { status, body } = await deployment.issue({ userId, ...(mayAct ? { mayAct } : {}) })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.subjectToken
  }

  async function impersonated(actor_token?: string, userId = 'alice'): Promise<string> {
    const form = { subject_token: await bound(userId), actor_token, scope: 'openid orders:read' }
    const { status, body } = await deployment.exchange(form)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.access_token
  }

  it('§4.1 act is a JSON object that identifies the actor, by identity claims alone', async () => {
    expect(decodeJwt(await impersonated(olivia)).act).to.deep.equal({ sub: 'olivia' })
    expect(decodeJwt(await impersonated())).to.not.have.property('act')
  })

  it('§4.1 only the current actor MUST be considered: an impersonated token is no actor token', async () => {
    const subject_token = await bound('bob', { sub: 'olivia' })
    const actor_token = await impersonated(olivia, 'olivia')
    const { status, body } = await deployment.exchange({ subject_token, actor_token })
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    const itself = await deployment.exchange({ subject_token, actor_token: olivia })
    expect(itself.status).to.equal(200)
  })

  it('§4.1 act means the same in introspection as in a JWT', async () => {
    const form = {
      subject_token: await bound('alice'),
      actor_token: olivia,
      resource: `${deployment.base}/opaque`,
    }
    const token = (await deployment.exchange(form)).body.access_token
    const headers = { authorization: `Basic ${btoa('web:web-secret')}` }
    const { body } = await deployment.post('/oidc/token/introspection', { token }, headers)
    expect(body.act).to.deep.equal({ sub: 'olivia' })
  })

  it('§4.4 only the party that may_act names becomes the actor', async () => {
    const bob = (await signIn(deployment, 'bob')).access_token
    const subject_token = await bound('alice', { sub: 'olivia' })
    for (const actor_token of [undefined, bob]) {
      const { status, body } = await deployment.exchange({ subject_token, actor_token })
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    }
    const { body } = await deployment.exchange({ subject_token, actor_token: olivia })
    expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
  })

  it('§4.4 may_act says who may act, and is neither an actor nor passed on', async () => {
    const { body } = await deployment.exchange({
      subject_token: await bound('alice', { clientId: 'console' }),
    })
    expect(decodeJwt(body.access_token)).to.not.have.any.keys('act', 'may_act')
  })

  it('§5 delegated rights are limited: by scope, by lifetime, by the client that exchanges', async () => {
    const { exp = 0, iat = 0, ...claims } = decodeJwt(await impersonated(olivia))
    expect(exp - iat).to.equal(900)
    expect(claims).to.include({ scope: 'openid orders:read', aud: deployment.orders })
    expect(claims).to.include({ client_id: 'console' })
    const subject_token = await bound('alice')
    const anonymous = await deployment.exchange({ subject_token, client_id: undefined })
    expect(anonymous.status).to.be.oneOf([400, 401])
    // A confidential client that does not authenticate is nobody.
    const unauthenticated = await deployment.exchange({ subject_token, client_id: 'web' })
    expect([unauthenticated.status, unauthenticated.body.error]).to.deep.equal([
      401,
      'invalid_client',
    ])
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
  })
})

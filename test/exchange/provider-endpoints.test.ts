import { expect } from 'chai'
import { basic, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('an impersonated token at the provider’s other endpoints', () => {
  it('is introspected and revoked like any other opaque token', async () => {
    await using deployment = await deploy()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      actor_token,
      resource: `${deployment.base}/opaque`,
    })
    const token = body.access_token
    // I6: drawn at random, never the id that events and logs name.
    expect(token).to.match(/^[A-Za-z0-9_-]{43}$/)
    const introspect = async () =>
      (
        await deployment.post(
          '/oidc/token/introspection',
          { token },
          basic('backend', 'backend-secret'),
        )
      ).body
    expect(await introspect()).to.deep.include({
      active: true,
      sub: 'alice',
      act: { sub: 'olivia' },
    })
    const foreign = { token, client_id: 'plain' }
    await deployment.post('/oidc/token/revocation', foreign)
    expect((await introspect()).active).to.equal(true)
    const revocation = { token, client_id: 'console' }
    expect((await deployment.post('/oidc/token/revocation', revocation)).status).to.equal(200)
    expect(await introspect()).to.deep.equal({ active: false })
  })

  it('is refused by userinfo, as every token with an audience is', async () => {
    await using deployment = await deploy()
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const { body } = await deployment.exchange({
        subject_token: await deployment.subjectToken(),
        resource,
        scope: 'openid',
      })
      const response = await fetch(`${deployment.issuer}/me`, {
        headers: { authorization: `Bearer ${body.access_token}` },
      })
      expect(response.status).to.equal(401)
    }
  })
})

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Configuration } from 'oidc-provider'
import { deployWith, exchange } from '../support/claims-hook.ts'
import { basic, type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('claims of an access token', () => {
  let deployment: Deployment
  afterEach(() => deployment.close())

  const FORGED = {
    act: { sub: 'mallory' },
    may_act: { sub: 'mallory' },
    sub: 'bob',
    aud: 'https://elsewhere.example',
    iss: 'https://elsewhere.example',
    exp: 9999999999,
    nbf: 1,
    iat: 1,
    jti: 'x',
    scope: 'everything',
    client_id: 'mallory',
    cnf: { jkt: 'x' },
    sid: 'x',
    op_grant_id: 'x',
    authorization_details: [],
    active: true,
    token_type: 'x',
    username: 'bob',
    fine: true,
  }

  /** Machine-to-machine tokens are left alone: a made-up `cnf` would make them useless. */
  const forgeForUsers: Configuration['extraTokenClaims'] = (_ctx, token) =>
    token.kind === 'AccessToken' ? FORGED : undefined

  it('I4: cannot add, change or remove act, nor any claim of the provider', async () => {
    deployment = await deployWith(async () => FORGED, {
      configuration: { extraTokenClaims: forgeForUsers },
    })
    const { access_token } = await signIn(deployment, 'olivia')
    const without = decodeJwt((await exchange(deployment)).body.access_token)
    expect(without).to.have.all.keys(
      'fine',
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'jti',
      'scope',
      'client_id',
      'status',
    )
    expect(without).to.include({ sub: 'alice', aud: deployment.orders, iss: deployment.issuer })
    const withActor = decodeJwt(
      (await exchange(deployment, {}, { actor_token: access_token })).body.access_token,
    )
    expect(withActor.act).to.deep.equal({ sub: 'olivia' })
  })

  it('I4: nor in the introspection of an opaque token', async () => {
    deployment = await deployWith(async () => FORGED, {
      configuration: { extraTokenClaims: forgeForUsers },
    })
    const { access_token } = await signIn(deployment, 'olivia')
    const resource = `${deployment.base}/opaque`
    for (const actor_token of [undefined, access_token]) {
      const { body } = await exchange(deployment, {}, { resource, actor_token })
      const introspection = await deployment.post(
        '/oidc/token/introspection',
        { token: body.access_token },
        basic('web', 'web-secret'),
      )
      expect(introspection.body).to.include({ active: true, sub: 'alice', fine: true })
      expect(introspection.body.act).to.deep.equal(actor_token ? { sub: 'olivia' } : undefined)
      expect(introspection.body).to.not.have.any.keys(
        'may_act',
        'cnf',
        'nbf',
        'op_grant_id',
        'username',
      )
    }
  })

  it('I4: nor in tokens of other grants', async () => {
    deployment = await deployWith(async () => FORGED, {
      configuration: { extraTokenClaims: forgeForUsers },
    })
    expect(decodeJwt(await deployment.m2mToken())).to.not.have.property('act')
    const options = { scope: 'openid orders:read', resource: deployment.orders }
    const { access_token } = await signIn(deployment, 'olivia', options)
    expect(decodeJwt(access_token)).to.not.have.property('act')
    expect(decodeJwt(access_token).sub).to.equal('olivia')
  })

  it('I12: in tokens of other grants, all but act stays as the deployment says', async () => {
    const own = { auth_time: 7, status: 'gold', fine: true }
    deployment = await deploy({
      configuration: {
        extraTokenClaims: () => own,
        formats: {
          customizers: {
            jwt(_ctx, _token, { payload }) {
              payload.jti = 'own'
            },
          },
        },
      },
    })
    const options = { scope: 'orders:read', resource: deployment.orders }
    const user = decodeJwt((await signIn(deployment, 'olivia', options)).access_token)
    for (const claims of [user, decodeJwt(await deployment.m2mToken())]) {
      expect(claims).to.include({ ...own, jti: 'own' })
      expect(claims).to.have.all.keys(
        ...Object.keys(own),
        ...['sub', 'aud', 'iss', 'exp', 'iat', 'jti', 'scope', 'client_id'],
      )
    }
  })

  it("no code of the deployment makes a user's token for the management API", async () => {
    deployment = await deploy()
    const { AccessToken, Client, Grant, ResourceServer } = deployment.provider
    const client = await Client.find('console')
    if (!client) throw new Error('no client')
    const grantId = await new Grant({ accountId: 'olivia', clientId: 'console' }).save()
    for (const audience of [deployment.orders, deployment.management]) {
      const info = { scope: 'impersonate', audience, accessTokenFormat: 'opaque' } as const
      const token = new AccessToken({
        accountId: 'olivia',
        client,
        scope: 'impersonate',
        gty: 'custom',
        grantId,
        resourceServer: new ResourceServer('https://elsewhere.example', info),
      })
      const refused = await token.save().then(
        () => undefined,
        ({ error }) => error,
      )
      expect(refused).to.equal(audience === deployment.management ? 'invalid_target' : undefined)
    }
  })

  it('I4: nor can the client, by any form field', async () => {
    deployment = await deployWith(async () => ({}))
    const act = JSON.stringify({ sub: 'mallory' })
    const { body } = await exchange(
      deployment,
      { act: { sub: 'mallory' }, actor: 'mallory' },
      { act, actor: act },
    )
    expect(decodeJwt(body.access_token)).to.not.have.property('act')
  })

  it("the deployment's own extraTokenClaims still runs, and the hook comes after it", async () => {
    deployment = await deployWith(async () => ({ both: 'hook', hook: 1 }), {
      configuration: { extraTokenClaims: async () => ({ both: 'own', own: 1 }) },
    })
    expect(decodeJwt((await exchange(deployment)).body.access_token)).to.include({
      both: 'hook',
      hook: 1,
      own: 1,
    })
  })
})

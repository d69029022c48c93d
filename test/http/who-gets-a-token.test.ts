import { expect } from 'chai'
import { errors } from 'oidc-provider'
import { configurationOf } from '../../src/host/instance.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE as EXCHANGE } from '../../src/index.ts'
import { expectRejection } from '../adapters/servers.ts'
import { REDIRECT_URI } from '../support/clients.ts'
import { basic, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

describe('who gets a token for the management API', () => {
  it('no user: the authorization endpoint and the code grant answer invalid_target', async () => {
    // Named, and with the grant of a machine: nothing else is in the way.
    await using deployment = await deploy({
      impersonation: { managementApi: { clients: ['both'] } },
      clients: [
        {
          client_id: 'both',
          client_secret: 'secret',
          redirect_uris: [REDIRECT_URI],
          grant_types: ['authorization_code', 'client_credentials'],
        },
      ],
    })
    const { management: resource } = deployment
    await deployment.m2mToken({}, ['both', 'secret'])
    const options = { clientId: 'both', scope: 'openid impersonate', resource }
    const failure = await signIn(deployment, 'olivia', options).catch((error: Error) => error)
    expect(String(failure)).to.include('error=invalid_target')
    // A code that was asked for before the resource was the management API's.
    const { features } = configurationOf(deployment.provider)
    const { getResourceServerInfo } = features?.resourceIndicators ?? {}
    const client = await deployment.provider.Client.find('both')
    for (const grant_type of ['authorization_code', 'refresh_token', EXCHANGE]) {
      const ctx = { oidc: { route: 'token', params: { grant_type } } }
      const answer = Reflect.apply(Object(getResourceServerInfo), undefined, [
        ctx,
        resource,
        client,
      ])
      await expectRejection(Promise.resolve(answer), errors.InvalidTarget)
    }
  })

  it("no user by code of the deployment's own: a token that it makes for that audience is not saved", async () => {
    await using deployment = await deploy()
    const { provider, management } = deployment
    const client = await provider.Client.find('console')
    for (const accessTokenFormat of ['opaque', 'jwt']) {
      const resource = { scope: 'impersonate', audience: management, accessTokenFormat }
      const token = Reflect.construct(provider.AccessToken, [
        { accountId: 'alice', client, scope: 'impersonate', gty: 'urn:example:own' },
      ])
      token.resourceServer = Reflect.construct(provider.ResourceServer, [management, resource])
      await expectRejection(token.save(), errors.InvalidTarget)
    }
  })

  it('no resource whose audience poses as the management API', async () => {
    const resource = 'https://id.example.com/api'
    await using deployment = await deploy({
      impersonation: { managementApi: { resource } },
      resources: {
        'https://trojan.example': {
          scope: 'impersonate',
          audience: resource,
          accessTokenFormat: 'jwt',
        },
      },
    })
    await expectAnswer(
      deployment.post(
        '/oidc/token',
        {
          grant_type: 'client_credentials',
          resource: 'https://trojan.example',
          scope: 'impersonate',
        },
        basic('backend', 'backend-secret'),
      ),
      400,
      'invalid_target',
    )
  })
})

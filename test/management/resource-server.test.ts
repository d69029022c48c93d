import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('who gets a token for the management API', () => {
  it('no user: the authorization endpoint and the code grant answer invalid_target', async () => {
    const deployment = await deploy()
    const options = { scope: 'openid impersonate', resource: deployment.management }
    const failure = await signIn(deployment, 'olivia', options).catch((error: Error) => error)
    expect(String(failure)).to.include('invalid_target')
    await deployment.close()
  })

  it('no resource whose audience poses as the management API', async () => {
    const resource = 'https://id.example.com/api'
    const deployment = await deploy({
      impersonation: { managementApi: { resource } },
      resources: {
        'https://trojan.example': {
          scope: 'impersonate',
          audience: resource,
          accessTokenFormat: 'jwt',
        },
      },
    })
    const { status, body } = await deployment.post(
      '/oidc/token',
      {
        grant_type: 'client_credentials',
        resource: 'https://trojan.example',
        scope: 'impersonate',
      },
      { authorization: `Basic ${btoa('backend:backend-secret')}` },
    )
    expect(status).to.equal(400)
    expect(body.error).to.equal('invalid_target')
    await deployment.close()
  })

  it('with managementApi.clients, only the clients named there, also for tokens they already have', async () => {
    const resource = 'https://id.example.com/api'
    const clients: string[] = ['other']
    const deployment = await deploy({ impersonation: { managementApi: { resource, clients } } })
    const { status, body } = await deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource, scope: 'impersonate' },
      { authorization: `Basic ${btoa('backend:backend-secret')}` },
    )
    expect(status).to.equal(400)
    expect(body.error).to.equal('invalid_target')
    await deployment.close()
  })

  it('where clients can register themselves, none that did', async () => {
    const deployment = await deploy({
      configuration: { features: { registration: { enabled: true } } },
    })
    const response = await fetch(`${deployment.issuer}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      }),
    })
    expect(response.status).to.equal(201)
    // biome-ignore lint/suspicious/noExplicitAny: a registration response, read once.
    const { client_id: id, client_secret: secret }: any = await response.json()
    const failure = await deployment.m2mToken({}, [id, secret]).catch((error: Error) => error)
    expect(String(failure)).to.include('invalid_target')
    expect(await deployment.m2mToken()).to.be.a('string')
    await deployment.close()
  })
})

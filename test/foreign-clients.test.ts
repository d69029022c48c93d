import { expect } from 'chai'
import * as client from 'openid-client'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../src/index.ts'
import { type Deployment, deploy } from './support/deployment.ts'
import { signIn } from './support/sign-in.ts'

// oauth4webapi does it in packages/resource-server/test/foreign-client.test.ts.
describe('foreign clients', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment.close())

  const post = async (url: string, token: string, body: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).to.equal(201)
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API, read by the caller.
    return (await response.json()) as any
  }

  it('openid-client drives the whole flow', async () => {
    const options = { execute: [client.allowInsecureRequests] }
    const issuer = new URL(deployment.issuer)
    const backend = await client.discovery(issuer, 'backend', 'backend-secret', undefined, options)
    const m2m = await client.clientCredentialsGrant(backend, {
      resource: deployment.management,
      scope: 'impersonate',
    })
    const { subjectToken } = await post(`${deployment.base}/api/subject-tokens`, m2m.access_token, {
      userId: 'alice',
    })
    const actor = await signIn(deployment, 'olivia')
    const web = await client.discovery(
      issuer,
      'web',
      undefined,
      client.ClientSecretBasic('web-secret'),
      options,
    )
    const request = {
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token: actor.access_token,
      actor_token_type: ACCESS_TOKEN_TYPE,
      resource: deployment.orders,
      scope: 'orders:read',
    }
    const tokens = await client.genericGrantRequest(web, TOKEN_EXCHANGE_GRANT_TYPE, request)
    expect(tokens.token_type).to.equal('bearer')
    expect(tokens.issued_token_type).to.equal(ACCESS_TOKEN_TYPE)
    expect(tokens).to.not.have.any.keys('refresh_token', 'id_token')
    const again = await client
      .genericGrantRequest(web, TOKEN_EXCHANGE_GRANT_TYPE, request)
      .catch((error: unknown) => error)
    expect(again)
      .to.be.instanceOf(client.ResponseBodyError)
      .with.property('error', 'invalid_request')
  })
})

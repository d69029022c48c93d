import { createServer } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import * as oauth from 'oauth4webapi'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../../src/index.ts'
import {
  bindsToCertificates,
  certificate,
  otherCertificate,
} from '../../../test/support/certificates.ts'
import { type Deployment, deploy } from '../../../test/support/deployment.ts'
import { signIn } from '../../../test/support/sign-in.ts'
import { listening } from '../../../test/support/token-issuer.ts'
import { requireScope, resourceServer } from '../src/index.ts'

const insecure = { [oauth.allowInsecureRequests]: true }
const { None } = oauth

describe('a foreign client (oauth4webapi)', () => {
  let deployment: Deployment
  let as: oauth.AuthorizationServer
  let shown: string | undefined
  let url: URL
  const server = createServer()

  before(async () => {
    deployment = await deploy({
      configuration: {
        features: { dPoP: { enabled: true }, ...bindsToCertificates(() => shown) },
      },
      clients: [
        {
          client_id: 'bound',
          token_endpoint_auth_method: 'none',
          tls_client_certificate_bound_access_tokens: true,
          redirect_uris: ['https://app.example.com/callback'],
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        },
      ],
    })
    const issuer = new URL(deployment.issuer)
    as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    )
    const baseUrl = await listening(server)
    const api = resourceServer({
      issuer: deployment.issuer,
      audience: deployment.orders,
      dPoP: { baseUrl },
      mTLS: { getCertificate: () => shown },
    })
    const app = new Koa()
    app.use(api.koa(requireScope('orders:read')) as Koa.Middleware)
    app.use((ctx) => {
      const { userId, actor } = ctx.state.caller
      ctx.body = { userId, actor: actor.sub }
    })
    server.on('request', app.callback())
    url = new URL('/orders?page=2', baseUrl)
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await deployment.close()
  })

  /** Exchanges a subject token for alice with olivia's access token, as `client_id`. */
  async function exchange(client_id: string, options: oauth.TokenEndpointRequestOptions) {
    const client = { client_id }
    const parameters = new URLSearchParams({
      subject_token: await deployment.subjectToken(),
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token: (await signIn(deployment, 'olivia')).access_token,
      actor_token_type: ACCESS_TOKEN_TYPE,
      resource: deployment.orders,
      scope: 'orders:read',
    })
    const response = await oauth.genericTokenEndpointRequest(
      as,
      client,
      None(),
      TOKEN_EXCHANGE_GRANT_TYPE,
      parameters,
      { ...insecure, ...options },
    )
    return oauth.processGenericTokenEndpointResponse(as, client, response)
  }

  /** What the API answers: the body, or the challenges of a refusal. */
  async function call(
    url: URL,
    token: string,
    options: oauth.ProtectedResourceRequestOptions = {},
  ) {
    try {
      const response = await oauth.protectedResourceRequest(token, 'GET', url, undefined, null, {
        ...insecure,
        ...options,
      })
      return await response.json()
    } catch (error) {
      if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error
      return error.cause.map(({ scheme, parameters }) => [scheme, parameters.error])
    }
  }

  it('exchanges for a JWT access token that it validates (RFC 9068)', async () => {
    const { access_token: token } = await exchange('console', {})
    const { orders } = deployment
    const request = new Request(orders, { headers: { authorization: `Bearer ${token}` } })
    const claims = await oauth.validateJwtAccessToken(as, request, orders, insecure)
    expect(claims).to.include({ sub: 'alice', client_id: 'console', scope: 'orders:read' })
  })

  it('DPoP: exchanges by its key, and calls the API with proofs', async () => {
    const keys = await oauth.generateKeyPair('ES256')
    const DPoP = oauth.DPoP({}, keys)
    const tokens = await exchange('console', { DPoP })
    expect(tokens.token_type).to.equal('dpop')
    for (let n = 0; n < 2; n += 1) {
      expect(await call(url, tokens.access_token, { DPoP })).to.deep.equal({
        userId: 'alice',
        actor: 'olivia',
      })
    }
    // As a bearer token, and with a proof of another key.
    expect(await call(url, tokens.access_token)).to.deep.equal([
      ['bearer', 'invalid_token'],
      ['dpop', undefined],
    ])
    const other = oauth.DPoP({}, await oauth.generateKeyPair('ES256'))
    expect(await call(url, tokens.access_token, { DPoP: other })).to.deep.equal([
      ['dpop', 'invalid_token'],
    ])
  })

  it('mTLS: exchanges with its certificate, and calls the API with it', async () => {
    shown = certificate
    const { access_token: token, token_type } = await exchange('bound', {})
    expect(token_type).to.equal('bearer')
    expect(await call(url, token)).to.deep.equal({ userId: 'alice', actor: 'olivia' })
    for (const other of [otherCertificate, undefined]) {
      shown = other
      expect(await call(url, token)).to.deep.equal([
        ['bearer', 'invalid_token'],
        ['dpop', undefined],
      ])
    }
  })
})

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { BASE_URL, type Issuer, startIssuer } from './orders-issuer.ts'
import { type Example, exchange, postJson, send, signIn, start } from './support.ts'

const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const client: oauth.Client = { client_id: 'support-tool' }
const insecure = { [oauth.allowInsecureRequests]: true }

describe('example provider: tokens that are bound to a key, by a client of other people', () => {
  let example: Example
  let actorToken: string

  before(async () => {
    example = await start()
    actorToken = await signIn(example.url)
  })
  after(() => example.close())

  async function subjectToken(): Promise<string> {
    const { url } = example
    const { body } = await postJson(
      `${url}/support/impersonations`,
      { userId: 'alice', ticketId: 'SUP-1', reason: 'billing', scope: 'orders:read' },
      actorToken,
    )
    return String(body.subjectToken)
  }

  async function boundToken(DPoP: oauth.DPoPHandle): Promise<oauth.TokenEndpointResponse> {
    const issuer = new URL(`${example.url}/oidc`)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    )
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.None(),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      {
        subject_token: await subjectToken(),
        subject_token_type: ACCESS_TOKEN_TYPE,
        actor_token: actorToken,
        actor_token_type: ACCESS_TOKEN_TYPE,
        resource: `${example.url}/orders`,
        scope: 'orders:read',
      },
      { DPoP, ...insecure },
    )
    return oauth.processGenericTokenEndpointResponse(server, client, response)
  }

  const newKey = async () => oauth.DPoP(client, await oauth.generateKeyPair('ES256'))

  const getOrders = (token: string, DPoP: oauth.DPoPHandle) =>
    oauth.protectedResourceRequest(
      token,
      'GET',
      new URL(`${example.url}/orders`),
      undefined,
      undefined,
      { DPoP, ...insecure },
    )

  it('see the orders, with a proof for every request', async () => {
    const DPoP = await newKey()
    const { access_token, token_type } = await boundToken(DPoP)
    expect(token_type).to.equal('dpop')
    const jkt = await DPoP.calculateThumbprint()
    expect(decodeJwt(access_token).cnf).to.deep.equal({ jkt })
    for (let times = 0; times < 2; times += 1) {
      const response = await getOrders(access_token, DPoP)
      expect(await response.json()).to.include({ subject: 'alice', actor: 'olivia' })
    }
  })

  it('are refused without a proof, and told of DPoP', async () => {
    const { access_token } = await boundToken(await newKey())
    for (const [authorization, error, challenge] of [
      [`Bearer ${access_token}`, 'invalid_token', /^Bearer .*error="invalid_token".*, DPoP realm=/],
      [`DPoP ${access_token}`, 'invalid_dpop_proof', /^DPoP .*error="invalid_dpop_proof"/],
    ] as const) {
      const { status, headers, body } = await send(`${example.url}/orders`, {
        headers: { authorization },
      })
      expect([status, body.error], authorization).to.deep.equal([401, error])
      expect(headers.get('www-authenticate')).to.match(challenge)
      expect(headers.get('www-authenticate')).to.match(/DPoP realm="[^"]+".* algs="ES256 /)
    }
  })

  it('are refused with a proof of another key', async () => {
    const { access_token } = await boundToken(await newKey())
    const refused = await getOrders(access_token, await newKey()).catch((error) => error)
    expect(refused).to.be.instanceOf(oauth.WWWAuthenticateChallengeError)
    expect(refused.response.status).to.equal(401)
    expect(refused.cause[0].parameters.error).to.equal('invalid_token')
  })

  it('are for who asks: without a proof the same client gets a bearer token, as ever', async () => {
    const { body } = await exchange(example.url, await subjectToken(), actorToken)
    expect(body.token_type).to.equal('Bearer')
    expect(decodeJwt(String(body.access_token))).not.to.have.property('cnf')
    const { status } = await send(`${example.url}/orders`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(status).to.equal(200)
  })
})

describe('example provider: proofs that the orders API takes', () => {
  let issuer: Issuer
  let api: Example
  let key: DPoPKey
  let token: string

  before(async () => {
    issuer = await startIssuer()
    api = await issuer.newApi()
    key = await dpopKey()
    token = await issuer.token({ claims: { cnf: { jkt: key.thumbprint } } })
  })
  after(async () => {
    await api.close()
    await issuer.close()
  })

  const proofFor = (htu: string) => key.proof({ htm: 'GET', htu, ath: athOf(token) })
  const get = (dpop: string, more: Record<string, string> = {}) =>
    send(`${api.url}/orders`, { headers: { authorization: `DPoP ${token}`, dpop, ...more } })

  it('are for the address that clients know, behind whatever proxy', async () => {
    expect((await get(await proofFor(`${BASE_URL}/orders`))).status).to.equal(200)
  })

  it('are for no other address, whatever the headers say', async () => {
    const { host } = new URL(api.url)
    for (const more of [{}, { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' }]) {
      const { status, body } = await get(await proofFor(`${api.url}/orders`), more)
      expect([status, body.error]).to.deep.equal([401, 'invalid_dpop_proof'])
    }
  })

  it('are good once, of twenty at the same time', async () => {
    const proof = await proofFor(`${BASE_URL}/orders`)
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(proof)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 19 }, () => 401)])
  })
})

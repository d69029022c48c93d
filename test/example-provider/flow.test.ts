import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { Browser } from '../../example-provider/demo/browser.ts'
import { type Answer, basic, type Example, postForm, postJson, send, start } from './support.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const WEB = basic('support-web', 'support-web-secret')
const VERIFIER = 'a-code-verifier-that-is-as-long-as-it-has-to-be-1234'

describe('example provider: the flow', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  /** Signs in to support-web, and returns the answer of the token endpoint. */
  async function signInToWeb(
    login: string,
    more: Record<string, string> = {},
    resource: Record<string, string> = {},
  ): Promise<Answer> {
    const redirectUri = `${example.url}/support/callback`
    const url = new URL('/oidc/auth', example.url)
    url.search = new URLSearchParams({
      client_id: 'support-web',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...resource,
      ...more,
    }).toString()
    const browser = new Browser(example.url)
    const end = await browser.signIn(url, login, 'demo-password', redirectUri)
    const fields = {
      grant_type: 'authorization_code',
      code: end.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: VERIFIER,
      ...resource,
    }
    return postForm(`${example.url}/oidc/token`, fields, WEB)
  }

  function exchange(
    subjectToken: unknown,
    actorToken: unknown,
    headers: Record<string, string>,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const fields = {
      grant_type: GRANT,
      subject_token: String(subjectToken),
      subject_token_type: TYPE,
      actor_token: String(actorToken),
      actor_token_type: TYPE,
      resource: `${example.url}/orders`,
      scope: 'orders:read orders:write',
      ...more,
    }
    return postForm(`${example.url}/oidc/token`, fields, headers)
  }

  it('works for the confidential client, which has to authenticate', async () => {
    const { body: operator } = await signInToWeb('olivia')
    const { body: issued } = await postJson(
      `${example.url}/support/impersonations`,
      {
        userId: 'bob',
        reason: 'Lamp is broken',
        ticketId: 'SUP-7',
        scope: 'orders:read orders:write',
      },
      String(operator.access_token),
    )
    const unauthenticated = await exchange(
      issued.subjectToken,
      operator.access_token,
      {},
      {
        client_id: 'support-web',
      },
    )
    expect([unauthenticated.status, unauthenticated.body.error]).to.deep.equal([
      401,
      'invalid_client',
    ])

    const { status, body } = await exchange(issued.subjectToken, operator.access_token, WEB)
    expect(status).to.equal(200)
    expect(body).to.include({ scope: 'orders:read orders:write', issued_token_type: TYPE })
    expect(decodeJwt(String(body.access_token))).to.deep.include({
      sub: 'bob',
      act: { sub: 'olivia' },
      client_id: 'support-web',
      impersonation_context: {
        ticket_id: 'SUP-7',
        reason: 'Lamp is broken',
        support_engineer: 'olivia',
      },
    })
    const orders = await send(`${example.url}/orders`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(orders.text).to.include('"subject":"bob","actor":"olivia"').and.include('Desk lamp')
  })

  it('takes a token of one operator client and an exchange by the other', async () => {
    const { body: operator } = await signInToWeb('olivia')
    const { body: issued } = await postJson(
      `${example.url}/support/impersonations`,
      { userId: 'alice', reason: 'r', ticketId: 't' },
      String(operator.access_token),
    )
    const { status } = await exchange(
      issued.subjectToken,
      operator.access_token,
      {},
      {
        client_id: 'support-tool',
      },
    )
    expect(status).to.equal(200)
  })

  it('lets a customer see her own orders, without an actor', async () => {
    const { body } = await signInToWeb(
      'alice',
      { scope: 'openid orders:read' },
      { resource: `${example.url}/orders` },
    )
    const claims = decodeJwt(String(body.access_token))
    expect(claims).to.include({ sub: 'alice', scope: 'orders:read' })
    expect(claims).not.to.have.any.keys('act', 'impersonation_context')
    const orders = await send(`${example.url}/orders`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(orders.body).to.have.all.keys('subject', 'customer', 'orders')
  })

  it('gives the scopes that belong to the sign-in, and their claims', async () => {
    const { body } = await signInToWeb('olivia', { scope: 'openid profile email' })
    const { body: claims } = await send(`${example.url}/oidc/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(claims).to.deep.equal({
      sub: 'olivia',
      name: 'Olivia Reyes',
      email: 'olivia@example.com',
      email_verified: true,
    })
  })

  it('never gives a refresh token', async () => {
    const { body } = await signInToWeb('olivia', { scope: 'openid offline_access' })
    expect(body).to.have.property('access_token')
    expect(body).not.to.have.property('refresh_token')
  })
})

import { expect } from 'chai'
import { tokensOf } from './acting.ts'
import { type Answer, type Example, postForm, send, start } from './support.ts'

describe('example provider: requests of browsers', () => {
  let example: Example
  before(async () => {
    example = await start()
  })
  after(() => example.close())

  /** Sent as a browser sends it: with the origin of the page, also for the same origin. */
  const exchangeCode = (origin: string): Promise<Answer> =>
    postForm(
      `${example.url}/oidc/token`,
      {
        grant_type: 'authorization_code',
        client_id: 'support-console',
        code: 'unknown',
        redirect_uri: `${example.url}/console/callback`,
        code_verifier: 'x'.repeat(43),
      },
      { origin },
    )

  it('from its own origin are taken at the token endpoint', async () => {
    const { body } = await exchangeCode(example.url)
    expect(body.error).to.equal('invalid_grant')
  })

  it('from any other are refused', async () => {
    for (const origin of [
      'https://elsewhere.example',
      'null',
      `${example.url}.elsewhere.example`,
      example.url.replace('http:', 'https:'),
      example.url.replace('localhost', '127.0.0.1'),
      example.url.replace(/:\d+$/, ':1'),
      'http://localhost',
    ]) {
      const { status, body, headers } = await exchangeCode(origin)
      expect([status, body.error], origin).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.include('origin')
      expect(headers.get('access-control-allow-origin')).to.equal(null)
    }
  })

  it('from any other learn nothing of the endpoints of the console and of the account page', async () => {
    for (const path of ['/console/api/me', '/console/api/audit', '/account/api/impersonations']) {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await send(example.url + path, {
          method,
          headers: { origin: 'https://elsewhere.example' },
        })
        expect(headers.get('access-control-allow-origin'), path).to.equal(null)
      }
    }
  })

  for (const [client, login, path] of [
    ['support-console', 'olivia', '/console'],
    ['customer-account', 'alice', '/account'],
  ] as const) {
    it(`may sign out of ${client} and come back to ${path}, and nowhere else`, async () => {
      const { body } = await tokensOf(example.url, client, login)
      const end = (to: string) => {
        const url = new URL(`${example.url}/oidc/session/end`)
        url.searchParams.set('id_token_hint', String(body.id_token))
        url.searchParams.set('post_logout_redirect_uri', to)
        return send(url)
      }
      expect((await end(example.url + path)).status).to.equal(200)
      for (const to of [
        `${example.url}/`,
        'https://elsewhere.example',
        `${example.url}${path}/x`,
      ]) {
        expect((await end(to)).status, to).to.equal(400)
      }
    })
  }
})

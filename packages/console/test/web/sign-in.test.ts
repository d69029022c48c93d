import { expect } from 'chai'
import { later } from '../support/clock.ts'
import { type Answer, type Deployment, deploy } from '../support/deployment.ts'

const HOUR = 3_600_000

describe('who may call the API of the console', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })

  after(() => deployment[Symbol.asyncDispose]())

  const me = (token: string) => deployment.ask({ token }, '/me')

  function expectRefused({ status, body, headers }: Answer): void {
    expect(status).to.equal(401)
    expect(body).to.deep.equal({
      error: 'invalid_token',
      error_description: 'the access token is not valid here',
    })
    expect(headers.get('www-authenticate')).to.contain('error="invalid_token"')
    expect(headers.get('cache-control')).to.equal('no-store')
  }

  /** A token as the provider stores it, and what differs from a good one. */
  async function stored(
    differs: object = {},
    { clientId = 'support-console', accountId = 'olivia', granted = '' } = {},
  ): Promise<string> {
    const { provider } = deployment
    const grant = new provider.Grant({ clientId, accountId: granted || accountId })
    grant.addOIDCScope('openid')
    const token = new provider.AccessToken({
      ...{ accountId, gty: 'authorization_code', scope: 'openid' },
      client: await provider.Client.find('support-console'),
      grantId: await grant.save(),
      ...differs,
    } as never)
    return token.save()
  }

  it('accepts the token of a person who signed in to the console', async () => {
    const { accessToken } = await deployment.signIn('olivia')
    expect((await me(accessToken)).status).to.equal(200)
    expect((await me(await stored())).status, 'the good token of the cases below').to.equal(200)
  })

  it('refuses a token that expired', async () => {
    const { accessToken } = await deployment.signIn('olivia')
    await later(HOUR - 60_000, async () => expect((await me(accessToken)).status).to.equal(200))
    await later(HOUR + 60_000, async () => expectRefused(await me(accessToken)))
  })

  it('refuses a token that was revoked, or whose session at the provider is over', async () => {
    const { accessToken } = await deployment.signIn('olivia')
    await fetch(`${deployment.issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'support-console', token: accessToken }),
    })
    expectRefused(await me(accessToken))
    const next = await deployment.signIn('olivia')
    expect((await me(next.accessToken)).status).to.equal(200)
    const headers = { cookie: next.cookie }
    const page = await fetch(`${deployment.issuer}/session/end`, { headers })
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
    await fetch(`${deployment.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
      headers,
      redirect: 'manual',
    })
    expectRefused(await me(next.accessToken))
  })

  const REFUSED: Readonly<Record<string, () => Promise<string>>> = {
    'of a session that expired': () => stored({ expiresWithSession: true, sessionUid: 'gone' }),
    'whose grant was revoked': async () => {
      const token = await stored()
      const found = await deployment.provider.AccessToken.find(token)
      await (await deployment.provider.Grant.find(found?.grantId ?? ''))?.destroy()
      return token
    },
    'with the grant of another person': () => stored({}, { granted: 'oscar' }),
    'with the grant of another client': () => stored({}, { clientId: 'other' }),
    'without a grant': () => stored({ grantId: undefined }),
    ...Object.fromEntries(
      ['other', 'shop', 'customer-account'].map((clientId) => [
        `of the application ${clientId}`,
        async () => (await deployment.signIn('olivia', { clientId })).accessToken,
      ]),
    ),
    'for an API': () => stored({ aud: `${deployment.url}/orders` }),
    'for an API, by a sign-in': async () => {
      const resource = `${deployment.url}/orders`
      return (await deployment.signIn('olivia', { scope: 'openid orders:read', resource }))
        .accessToken
    },
    'that is bound to a key (I10)': () => stored({ jkt: 'a-thumbprint' }),
    'that is bound to a certificate (I10)': () => stored({ 'x5t#S256': 'a-thumbprint' }),
    'that acts as a customer (I3)': () =>
      stored({ gty: 'urn:ietf:params:oauth:grant-type:token-exchange' }),
    'without the scope openid': () => stored({ scope: 'profile' }),
    'without a scope': () => stored({ scope: undefined }),
    'of an account that is gone': () => stored({}, { accountId: 'ghost' }),
  }
  for (const [which, makeToken] of Object.entries(REFUSED)) {
    it(`refuses a token ${which}`, async () => expectRefused(await me(await makeToken())))
  }

  it('refuses a machine token, a word, and a very long token', async () => {
    const machine = new deployment.provider.ClientCredentials({
      client: await deployment.provider.Client.find('support-backend'),
      scope: 'impersonate',
    } as never)
    expectRefused(await me(await machine.save()))
    expectRefused(await me('nothing'))
    const { status } = await me('x'.repeat(12_000))
    expect(status).to.equal(401)
  })

  it('reads no header but Authorization: Bearer', async () => {
    const token = await deployment.tokenOf('olivia')
    const attempts: Record<string, string>[] = [
      { cookie: (await deployment.signIn('olivia')).cookie },
      { authorization: `DPoP ${token}` },
      { authorization: token },
      { authorization: `Basic ${btoa(`olivia:${token}`)}` },
    ]
    for (const headers of attempts) {
      const { status, headers: answered } = await deployment.ask(
        undefined,
        '/me',
        undefined,
        headers,
      )
      expect(status).to.equal(401)
      expect(answered.get('www-authenticate')).to.equal('Bearer realm="support console"')
    }
    const malformed = { authorization: `Bearer ${token} more` }
    const { status, body } = await deployment.ask(undefined, '/me', undefined, malformed)
    expect({ status, ...body }).to.deep.equal({
      status: 401,
      error: 'invalid_token',
      error_description: 'malformed access token',
    })
    const inQuery = await deployment.ask(undefined, `/me?access_token=${token}`)
    expect(inQuery.status).to.equal(401)
  })

  it('a role that was taken away is gone at the next request', async () => {
    expect((await deployment.ask('oscar', '')).status).to.equal(200)
    deployment.roles.delete('oscar')
    try {
      expectAnswer(await deployment.ask('oscar', ''), 403, 'access_denied')
    } finally {
      deployment.roles.set('oscar', 'operator')
    }
  })

  function expectAnswer({ status, body }: Answer, expected: number, error: string): void {
    expect([status, body.error]).to.deep.equal([expected, error])
  }

  /** The answer is a 503, and the log has the cause. */
  function expectTrouble(answer: Answer, logged: string): void {
    expectAnswer(answer, 503, 'temporarily_unavailable')
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/)
    expect(deployment.log.join('\n')).to.contain(logged)
  }

  it('a storage that does not answer is trouble after two seconds', async () => {
    const token = await deployment.tokenOf('olivia')
    const { AccessToken } = deployment.provider
    const { find } = AccessToken
    const asked = Promise.withResolvers<undefined>()
    AccessToken.find = () => asked.promise
    try {
      expectTrouble(await me(token), 'no answer in two seconds')
    } finally {
      asked.resolve(undefined)
      AccessToken.find = find
    }
  })

  it('I5: a storage that fails is trouble, and no token is called invalid for it', async () => {
    const token = await deployment.tokenOf('olivia')
    deployment.faults.storage = true
    try {
      expectTrouble(await me(token), 'the storage is out of order')
    } finally {
      deployment.faults.storage = false
    }
  })

  it('I9: a role that cannot be asked is trouble', async () => {
    deployment.faults.roles = true
    try {
      expectTrouble(await deployment.ask('olivia', '/me'), 'the roles are out of order')
    } finally {
      deployment.faults.roles = false
    }
  })

  it('a role that does not exist gives nothing', async () => {
    deployment.roles.set('oscar', 'owner' as 'lead')
    try {
      expectAnswer(await deployment.ask('oscar', ''), 500, 'server_error')
      expect(deployment.log.join('\n')).to.contain('options.role answered none of')
    } finally {
      deployment.roles.set('oscar', 'operator')
    }
  })
})

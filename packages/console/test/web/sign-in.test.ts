import { expect } from 'chai'
import { shared } from '../../../../test/support/shared.ts'
import { signOutOfProvider } from '../../../../test/support/sign-in.ts'
import { later } from '../support/clock.ts'
import { type Answer, deploy } from '../support/deployment.ts'
import { expectProblem, expectRefusal, expectStatus } from '../support/expect-answer.ts'

const HOUR = 3_600_000

describe('who may call the API of the console', () => {
  const deployment = shared(() => deploy())

  const me = (token: string) => deployment.ask({ token }, '/me')

  function expectRefused(answer: Answer) {
    expectRefusal(answer, 401, 'invalid_token', 'the access token is not valid here')
    expect(answer.headers.get('www-authenticate')).to.contain('error="invalid_token"')
    expect(answer.headers.get('cache-control')).to.equal('no-store')
  }

  /** A token as the provider stores it, and what differs from a good one. */
  async function stored(
    differs: object = {},
    { clientId = 'support-console', accountId = 'olivia', granted = '' } = {},
  ) {
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
    expectStatus(await me(accessToken), 200)
    expectStatus(await me(await stored()), 200, 'the good token of the cases below')
  })

  it('refuses a token that expired', async () => {
    const { accessToken } = await deployment.signIn('olivia')
    await later(HOUR - 60_000, async () => expectStatus(await me(accessToken), 200))
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
    expectStatus(await me(next.accessToken), 200)
    await signOutOfProvider(deployment, next)
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
    expectStatus(await me('x'.repeat(12_000)), 401)
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
      const answer = await deployment.ask(undefined, '/me', undefined, headers)
      expectStatus(answer, 401)
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="support console"')
    }
    const malformed = { authorization: `Bearer ${token} more` }
    const answer = await deployment.ask(undefined, '/me', undefined, malformed)
    expectRefusal(answer, 401, 'invalid_token', 'malformed access token')
    expectStatus(await deployment.ask(undefined, `/me?access_token=${token}`), 401)
  })

  it('a role that was taken away is gone at the next request', async () => {
    expectStatus(await deployment.ask('oscar', ''), 200)
    deployment.roles.delete('oscar')
    try {
      expectProblem(await deployment.ask('oscar', ''), 403, 'access_denied')
    } finally {
      deployment.roles.set('oscar', 'operator')
    }
  })

  /** The answer is a 503, and the log has the cause. */
  function expectTrouble(answer: Answer, logged: string) {
    expectProblem(answer, 503, 'temporarily_unavailable')
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
      expectProblem(await deployment.ask('oscar', ''), 500, 'server_error')
      expect(deployment.log.join('\n')).to.contain('options.role answered none of')
    } finally {
      deployment.roles.set('oscar', 'operator')
    }
  })
})

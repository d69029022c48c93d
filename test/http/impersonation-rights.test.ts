import { expect } from 'chai'
import { resigned } from '../advisories/attacks.ts'
import { basic } from '../support/deployment.ts'
import { type Managed, managing, RESOURCE } from '../support/managing.ts'

describe('who may see, and who may end', () => {
  const machine = {
    client_secret: 'secret',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
  let deployment: Managed
  const named = new Set(['reader'])
  before(async () => {
    deployment = await managing({
      impersonation: {
        managementApi: {
          resource: RESOURCE,
          clients: {
            issue: ['backend', 'issuer'],
            read: async ({ clientId }) => clientId === 'backend' || named.has(clientId),
            end: ['backend', 'ender'],
          },
        },
      },
      clients: ['reader', 'ender', 'issuer'].map((client_id) => ({ ...machine, client_id })),
    })
  })
  after(() => deployment.close())

  const ask = (client: string, scope?: string) =>
    deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource: RESOURCE, scope },
      basic(client, client === 'backend' ? 'backend-secret' : 'secret'),
    )

  /** The statuses of: see, list, end, end many, issue. */
  async function statuses(token: string): Promise<number[]> {
    const { id } = await deployment.start()
    const answers = [
      await deployment.get(`/${id}`, { token }),
      await deployment.get('', { token }),
      await deployment.send(`/${id}/end`, undefined, { token }),
      await deployment.send('/end', { userId: 'unknown' }, { token }),
      await deployment.issue({ userId: 'alice' }, { token }),
    ]
    return answers.map(({ status }) => status)
  }

  it('a token has the scopes that it asks for, of what its client is named for', async () => {
    const all = 'impersonate impersonations:read impersonations:end'
    const granted = async (client: string, scope: string) => (await ask(client, scope)).body.scope
    expect(await granted('backend', 'impersonations:read')).to.equal('impersonations:read')
    expect(await granted('backend', 'impersonations:end')).to.equal('impersonations:end')
    expect(await granted('backend', 'impersonate')).to.equal('impersonate')
    expect((await granted('backend', all)).split(' ')).to.have.members(all.split(' '))
    expect(await granted('reader', all)).to.equal('impersonations:read')
    expect(await granted('ender', all)).to.equal('impersonations:end')
    expect(await granted('issuer', all)).to.equal('impersonate')
  })

  it('reading is not ending, ending is not reading, and neither is issuing', async () => {
    const tokenOf = async (client: string, scope: string) =>
      (await ask(client, scope)).body.access_token
    expect(await statuses(deployment.token)).to.deep.equal([200, 200, 200, 200, 201])
    const read = 'impersonations:read'
    const end = 'impersonations:end'
    // Another right than the token's: 403 where the client is named for it, and 401 where it is not.
    expect(await statuses(await tokenOf('backend', read))).to.deep.equal([200, 200, 403, 403, 403])
    expect(await statuses(await tokenOf('backend', end))).to.deep.equal([403, 403, 200, 200, 403])
    expect(await statuses(await tokenOf('reader', read))).to.deep.equal([200, 200, 401, 401, 401])
    expect(await statuses(await tokenOf('ender', end))).to.deep.equal([401, 401, 200, 200, 401])
    expect(await statuses(await tokenOf('issuer', 'impersonate'))).to.deep.equal([
      401, 401, 401, 401, 201,
    ])
    const { body } = await ask('backend')
    expect(await statuses(body.access_token)).to.deep.equal([403, 403, 403, 403, 403])
  })

  it('403 names the scope that is missing', async () => {
    const { body } = await ask('backend', 'impersonate')
    const token = body.access_token
    for (const [scope, answer] of [
      ['impersonations:read', await deployment.get('', { token })],
      ['impersonations:end', await deployment.send('/end', { userId: 'x' }, { token })],
    ] as const) {
      expect([answer.status, answer.body.error]).to.deep.equal([403, 'insufficient_scope'])
      const challenge = answer.headers.get('www-authenticate')
      expect(challenge).to.include('error="insufficient_scope"').and.include(`scope="${scope}"`)
    }
  })

  it('a scope is one of a set: part of its name does not do', async () => {
    const scope = 'impersonated not-impersonate'
    const token = await resigned(deployment.token, (claims) => ({ ...claims, scope }))
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(403)
  })

  it('401 comes before anything else is looked at', async () => {
    const answer = await deployment.get('?limit=0', { token: 'garbage' })
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token'])
  })

  it('a right that is taken away is gone at once, with the tokens that have it', async () => {
    const { body } = await ask('reader', 'impersonations:read')
    const token = body.access_token
    expect((await deployment.get('', { token })).status).to.equal(200)
    named.delete('reader')
    const refused = await deployment.get('', { token })
    expect([refused.status, refused.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await ask('reader', 'impersonations:read')).body.error).to.equal('invalid_target')
    named.add('reader')
    expect((await deployment.get('', { token })).status).to.equal(200)
  })

  it('I9: a function that throws or answers nonsense is a 500, and nothing is shown or ended', async () => {
    let answer: unknown = true
    const rule = () => {
      if (answer instanceof Error) throw answer
      return answer as boolean
    }
    await using own = await managing({
      impersonation: {
        managementApi: {
          resource: RESOURCE,
          clients: { issue: () => true, read: rule, end: rule },
        },
      },
    })
    const { id } = await own.start()
    for (answer of [new Error('the database of clients is down'), undefined, 1, 'true', {}]) {
      for (const { status, body } of [
        await own.get(`/${id}`),
        await own.get(''),
        await own.send(`/${id}/end`),
        await own.send('/end', { userId: 'alice' }),
      ]) {
        expect([status, body.error]).to.deep.equal([500, 'server_error'])
        expect(JSON.stringify(body)).to.not.include('database').and.not.include('alice')
      }
      // Issuing has a rule of its own, and goes on.
      expect(await own.m2mToken({ resource: RESOURCE })).to.be.a('string')
      const asked = { resource: RESOURCE, scope: 'impersonations:read' }
      expect(String(await own.m2mToken(asked).catch(String))).to.include('server_error')
    }
    answer = true
    expect((await own.get(`/${id}`)).body.state).to.equal('issued')
  })
})

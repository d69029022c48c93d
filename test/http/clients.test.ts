import { expect } from 'chai'
import { type Client, type ClientMetadata, errors } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ManagementApiOptions } from '../../src/index.ts'
import { basic, type Deployment, deploy } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'

const resource = 'https://id.example.com/api'
const machine = {
  client_secret: 'secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
} satisfies Omit<ClientMetadata, 'client_id'>

type Clients = ManagementApiOptions['clients']

function deployNaming(clients: Clients, ...others: ClientMetadata[]): Promise<Deployment> {
  return deploy({ impersonation: { managementApi: { resource, clients } }, clients: others })
}

/** A request for a machine-to-machine token; without a secret, by a public client. */
function ask(deployment: Deployment, id: string, secret?: string, form = {}) {
  const request = { grant_type: 'client_credentials', resource, scope: 'impersonate', ...form }
  if (secret === undefined) return deployment.post('/oidc/token', { ...request, client_id: id })
  return deployment.post('/oidc/token', request, basic(id, secret))
}

describe('managementApi.clients: who may issue is named, never implied', () => {
  it('a client that is not named gets invalid_target, and is told why; no list names none', async () => {
    for (const clients of [['other'], [], { issue: ['other'], read: ['other'] }]) {
      const deployment = await deployNaming(clients)
      const { status, body } = await ask(deployment, 'backend', 'backend-secret')
      expect([status, body.error]).to.deep.equal([400, 'invalid_target'])
      expect(body.error_description).to.include('managementApi.clients').and.not.include('other')
      await deployment.close()
    }
  })

  it('a client that is named for something else gets a token for that alone', async () => {
    const deployment = await deployNaming({ issue: ['other'], read: ['backend'] })
    const { body } = await ask(deployment, 'backend', 'backend-secret', {
      scope: 'impersonate impersonations:read impersonations:end',
    })
    expect(body.scope).to.equal('impersonations:read')
    const issued = await deployment.issue({ userId: 'alice' }, { token: body.access_token })
    expect([issued.status, issued.body.error]).to.deep.equal([401, 'invalid_token'])
    await deployment.close()
    await using without = await deploy({
      impersonation: {
        managementApi: { resource, clients: { issue: ['other'], read: ['backend'] } },
        ending: { enabled: false },
      },
    })
    const refused = await ask(without, 'backend', 'backend-secret')
    expect(refused.body.error).to.equal('invalid_target')
  })

  it('a public client never may, whatever the list says (RFC 6749 §4.4)', async () => {
    const everybody = { issue: () => true }
    for (const clients of [['public'], everybody]) {
      const deployment = await deployNaming(clients, {
        ...machine,
        client_id: 'public',
        client_secret: undefined as never,
        token_endpoint_auth_method: 'none',
      })
      const { status, body } = await ask(deployment, 'public')
      expect([status, body.error]).to.deep.equal([400, 'invalid_target'])
      expect(body.error_description).to.include('token_endpoint_auth_method none')
      await deployment.close()
    }
  })

  const changes: Record<string, Partial<ClientMetadata>> = {
    'that became public': { token_endpoint_auth_method: 'none' },
    'that lost its client_credentials grant': {
      grant_types: ['authorization_code'],
      redirect_uris: ['https://client.example.com/callback'],
      response_types: ['code'],
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    it(`a client ${what} is refused with the tokens that it has, and so is what it issued`, async () => {
      const metadata = { ...machine, client_id: 'stored' }
      const adapter = createMemoryAdapter()
      await using deployment = await deploy({
        configuration: { adapter },
        impersonation: { managementApi: { resource, clients: ['stored'] } },
      })
      const clients = adapter('Client')
      await clients.upsert('stored', metadata, 60)
      const { body } = await ask(deployment, 'stored', 'secret')
      const token = body.access_token
      const issued = await deployment.issue({ userId: 'alice' }, { token })
      expect(issued.status).to.equal(201)
      await clients.upsert('stored', { ...metadata, ...change }, 60)
      expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(401)
      const exchanged = await deployment.exchange({ subject_token: issued.body.subjectToken })
      expect([exchanged.status, exchanged.body]).to.deep.equal([400, REFUSED])
    })
  }

  it('a client that is named needs no scope of its own for it, and the configuration no `scopes`', async () => {
    const deployment = await deployNaming(['stored'], {
      ...machine,
      client_id: 'stored',
      scope: 'openid',
    })
    const { body } = await ask(deployment, 'stored', 'secret')
    expect(body.scope).to.equal('impersonate')
    const token = body.access_token
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
    await deployment.close()
  })

  it("where the configuration's `scopes` lists the scope, a client whose `scope` leaves it out is told so by the provider", async () => {
    const deployment = await deploy({
      configuration: { scopes: ['openid', 'offline_access', 'impersonate'] },
      clients: [
        { ...machine, client_id: 'without', scope: 'openid' },
        { ...machine, client_id: 'with', scope: 'impersonate' },
      ],
      impersonation: { managementApi: { resource, clients: ['without', 'with'] } },
    })
    const { status, body } = await ask(deployment, 'without', 'secret')
    expect([status, body.error, body.scope]).to.deep.equal([400, 'invalid_scope', 'impersonate'])
    expect((await ask(deployment, 'with', 'secret')).body.scope).to.equal('impersonate')
    await deployment.close()
    const unlisted = await deployNaming(['with'], {
      ...machine,
      client_id: 'with',
      scope: 'impersonate',
    })
    const refused = await ask(unlisted, 'with', 'secret')
    expect(refused.body.error).to.equal('invalid_client_metadata')
    await unlisted.close()
  })
})

describe('managementApi.clients: a function', () => {
  it('is asked when a token is issued, when it is shown, and at the exchange; no longer named is no longer good', async () => {
    const asked: string[] = []
    let named = true
    const deployment = await deployNaming({
      async issue(client: Client) {
        asked.push(client.clientId)
        return named && client.clientId === 'backend'
      },
    })
    const { body } = await ask(deployment, 'backend', 'backend-secret')
    expect(asked).to.have.lengthOf(1)
    const token = body.access_token
    const issued = await deployment.issue({ userId: 'alice' }, { token })
    expect(asked).to.have.lengthOf(2)
    const subject_token = issued.body.subjectToken
    named = false
    const refused = await deployment.exchange({ subject_token })
    expect([refused.status, refused.body]).to.deep.equal([400, REFUSED])
    expect(asked).to.deep.equal(['backend', 'backend', 'backend'])
    const unnamed = await deployment.issue({ userId: 'alice' }, { token })
    expect([unnamed.status, unnamed.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await ask(deployment, 'backend', 'backend-secret')).status).to.equal(400)
    named = true
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    await deployment.close()
  })

  const failures: Array<[what: string, answer: () => unknown]> = [
    ['throws', () => Promise.reject(new Error('the database of clients is down'))],
    ['throws a protocol error', () => Promise.reject(new errors.AccessDenied('database'))],
    [
      'throws at once',
      () => {
        throw new errors.InvalidToken()
      },
    ],
    ['answers undefined', () => undefined],
    ['answers a truthy object', () => ({ issue: true })],
    ['answers "true"', async () => 'true'],
    ['answers 1', () => 1],
    ['answers a boxed true', () => Object(true)],
  ]
  for (const [what, answer] of failures) {
    it(`I9: that ${what} is a 500 everywhere, and nothing is issued or redeemed`, async () => {
      let fails = false
      const rule = () => (fails ? answer() : true) as boolean
      const deployment = await deployNaming({ issue: rule })
      const { body } = await ask(deployment, 'backend', 'backend-secret')
      const token = body.access_token
      const issued = await deployment.issue({ userId: 'alice' }, { token })
      const subject_token = issued.body.subjectToken
      fails = true
      const answers = await Promise.all([
        ask(deployment, 'backend', 'backend-secret'),
        deployment.issue({ userId: 'alice' }, { token }),
        deployment.exchange({ subject_token }),
      ])
      for (const refused of answers) {
        expect([refused.status, refused.body.error]).to.deep.equal([500, 'server_error'])
        expect(JSON.stringify(refused.body)).to.not.include('database')
      }
      expect(deployment.serverErrors).to.have.lengthOf(3)
      expect(String((deployment.serverErrors[0] as Error).message)).to.include(
        'features.impersonation.managementApi.clients.issue',
      )
      fails = false
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
      await deployment.close()
    })
  }

  it('answers for each client by itself, however many ask at once', async () => {
    const machines = Array.from({ length: 20 }, (_, at) => ({
      ...machine,
      client_id: `machine-${at}`,
    }))
    const deployment = await deployNaming(
      {
        async issue({ clientId }) {
          await new Promise(setImmediate)
          return Number(clientId.slice('machine-'.length)) % 2 === 0
        },
      },
      ...machines,
    )
    const answers = await Promise.all(
      machines.map(({ client_id }) => ask(deployment, client_id, 'secret')),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(
      machines.map((_, at) => (at % 2 === 0 ? 200 : 400)),
    )
    await deployment.close()
  })
})

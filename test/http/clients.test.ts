import { expect } from 'chai'
import type { Client, ClientMetadata } from 'oidc-provider'
import type { ManagementApiOptions } from '../../src/index.ts'
import { machine } from '../support/clients.ts'
import { basic, type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'

const resource = 'https://id.example.com/api'

type Clients = ManagementApiOptions['clients']

function deployNaming(clients: Clients, ...others: ClientMetadata[]): Promise<Deployment> {
  return deploy({ impersonation: { managementApi: { resource, clients } }, clients: others })
}

/** A request for a machine-to-machine token; without a secret, by a public client. */
function ask(deployment: Deployment, id = 'backend', secret?: string, form = {}) {
  const request = { grant_type: 'client_credentials', resource, scope: 'impersonate', ...form }
  if (secret === undefined) return deployment.post('/oidc/token', { ...request, client_id: id })
  return deployment.post('/oidc/token', request, basic(id, secret))
}
const askAsBackend = (deployment: Deployment) => ask(deployment, 'backend', 'backend-secret')

describe('managementApi.clients: who may issue is named, never implied', () => {
  it('a client that is not named gets invalid_target, and is told why; no list names none', async () => {
    for (const clients of [['other'], [], { issue: ['other'], read: ['other'] }]) {
      await using deployment = await deployNaming(clients)
      const { body } = await expectAnswer(askAsBackend(deployment), 400, 'invalid_target')
      expect(body.error_description).to.include('managementApi.clients').and.not.include('other')
    }
  })

  it('a client that is named for what is switched off is as one that is not named', async () => {
    const managementApi = { resource, clients: { issue: ['other'], read: ['backend'] } }
    const impersonation = { managementApi, ending: { enabled: false } }
    await using without = await deploy({ impersonation })
    expect((await askAsBackend(without)).body.error).to.equal('invalid_target')
  })

  it('a public client never may, whatever the list says (RFC 6749 §4.4)', async () => {
    for (const clients of [['public'], { issue: () => true }]) {
      await using deployment = await deployNaming(clients, {
        ...machine,
        client_id: 'public',
        client_secret: undefined as never,
        token_endpoint_auth_method: 'none',
      })
      const { body } = await expectAnswer(ask(deployment, 'public'), 400, 'invalid_target')
      expect(body.error_description).to.include('token_endpoint_auth_method none')
    }
  })

  it("a client needs no scope of its own for it, unless the configuration's `scopes` lists it: then the provider says so", async () => {
    const clients = [
      { ...machine, client_id: 'without', scope: 'openid' },
      { ...machine, client_id: 'with', scope: 'impersonate' },
    ]
    await using plain = await deployNaming(['without'], ...clients.slice(0, 1))
    const { body: issued } = await ask(plain, 'without', 'secret')
    expect(issued.scope).to.equal('impersonate')
    const token = issued.access_token
    await expectAnswer(plain.issueBy(token), 201)
    await using listing = await deploy({
      configuration: { scopes: ['openid', 'offline_access', 'impersonate'] },
      clients,
      impersonation: { managementApi: { resource, clients: ['without', 'with'] } },
    })
    const { body } = await expectAnswer(ask(listing, 'without', 'secret'), 400, 'invalid_scope')
    expect(body.scope).to.equal('impersonate')
    expect((await ask(listing, 'with', 'secret')).body.scope).to.equal('impersonate')
    await using unlisted = await deployNaming(['with'], ...clients.slice(1))
    const refused = await ask(unlisted, 'with', 'secret')
    expect(refused.body.error).to.equal('invalid_client_metadata')
  })
})

describe('managementApi.clients: a function', () => {
  it('is asked when a token is issued, when it is shown, and at the exchange; no longer named is no longer good', async () => {
    const asked: string[] = []
    let named = true
    await using deployment = await deployNaming({
      async issue(client: Client) {
        asked.push(client.clientId)
        return named && client.clientId === 'backend'
      },
    })
    const token = (await askAsBackend(deployment)).body.access_token
    expect(asked).to.have.lengthOf(1)
    const issued = await deployment.issueBy(token)
    expect(asked).to.have.lengthOf(2)
    const subject_token = issued.body.subjectToken
    named = false
    await deployment.expectWorthless(subject_token)
    expect(asked).to.deep.equal(['backend', 'backend', 'backend'])
    await expectAnswer(deployment.issueBy(token), 401, 'invalid_token')
    await expectAnswer(askAsBackend(deployment), 400)
    named = true
    await deployment.redeem(subject_token)
  })
})

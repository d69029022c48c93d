import { expect } from 'chai'
import Provider, { type Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { CLIENTS, deploy, signingKey } from '../support/deployment.ts'
import { type Answer, answerOf, basic, expectAnswer, urlencoded } from '../support/http.ts'
import { serving } from '../support/serving.ts'

type Post = (path: string, form: Record<string, string>, client: string) => Promise<Answer>

/** oidc-provider alone, as it is after the plugin was removed. */
function alone(configuration: Configuration, use: (post: Post) => Promise<void>): Promise<void> {
  const provider = new Provider('http://127.0.0.1', {
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: { clientCredentials: { enabled: true }, introspection: { enabled: true } },
    ...configuration,
  })
  return serving(
    () => provider.callback(),
    (base) =>
      use(async (path, form, client) => {
        const headers = basic(client, 'backend-secret')
        return answerOf(
          await fetch(base + path, { method: 'POST', body: urlencoded(form), headers }),
        )
      }),
  )
}

const FORM = { grant_type: 'client_credentials' }

describe('docs/what-changes.md: oidc-provider alone, after the plugin', () => {
  it('refuses a configured or stored client that still lists the grant', async () => {
    const client = { ...CLIENTS[0], client_id: 'stored' }
    const grant_types = ['client_credentials', TOKEN_EXCHANGE_GRANT_TYPE]
    const adapter = createMemoryAdapter()
    const stored = adapter('Client')
    await stored.upsert('stored', { ...client, grant_types })
    const clients = [{ ...client, client_id: 'configured', grant_types }]
    await alone({ adapter, clients }, async (post) => {
      for (const id of ['configured', 'stored']) {
        const { body } = await expectAnswer(
          post('/token', FORM, id),
          400,
          'invalid_client_metadata',
        )
        expect(body.error_description).to.match(/^grant_types can only contain 'implicit'/)
      }
      await stored.upsert('stored', client)
      await expectAnswer(post('/token', FORM, 'stored'), 200)
    })
  })

  it('works on our adapter and what the plugin left in it, without reading it', async () => {
    const memory = createMemoryAdapter()
    const models: string[] = []
    await using deployment = await deploy({ adapter: memory })
    await expectAnswer(deployment.exchange(), 200)
    const adapter = (model: string) => {
      models.push(model)
      return memory(model)
    }
    await alone({ adapter, clients: CLIENTS.slice(0, 1) }, async (post) => {
      const token = (await post('/token', FORM, 'backend')).body.access_token
      const { body } = await post('/token/introspection', { token }, 'backend')
      expect(body.active).to.equal(true)
    })
    expect(models).to.include('ClientCredentials').and.not.include('SubjectToken')
  })
})

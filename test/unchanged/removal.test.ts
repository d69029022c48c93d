import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Provider, { type Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { CLIENTS, deploy, signingKey } from '../support/deployment.ts'
import { answerOf, basic, urlencoded } from '../support/http.ts'

/** oidc-provider alone, as it is after the plugin was removed. */
async function plain(configuration: Configuration) {
  const provider = new Provider('http://127.0.0.1', {
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ...configuration,
  })
  const server = createServer(provider.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    provider,
    async post(path: string, form: Record<string, string>, headers: Record<string, string>) {
      const init = { method: 'POST', body: urlencoded(form), headers }
      return answerOf(await fetch(`http://127.0.0.1:${port}${path}`, init))
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('docs/removal.md: oidc-provider alone, after the plugin', () => {
  const features = { clientCredentials: { enabled: true }, introspection: { enabled: true } }

  for (const place of ['configured', 'stored'] as const) {
    it(`refuses a ${place} client that still lists the grant`, async () => {
      const client = { ...CLIENTS[0], client_id: 'both' }
      const grant_types = ['client_credentials', TOKEN_EXCHANGE_GRANT_TYPE]
      const listing = { ...client, grant_types }
      const adapter = createMemoryAdapter()
      if (place === 'stored') await adapter('Client').upsert('both', listing)
      const clients = place === 'configured' ? [listing] : []
      await using alone = await plain({ adapter, clients, features })
      const ask = () =>
        alone.post('/token', { grant_type: 'client_credentials' }, basic('both', 'backend-secret'))
      const { status, body } = await ask()
      expect([status, body.error]).to.deep.equal([400, 'invalid_client_metadata'])
      expect(body.error_description).to.match(/^grant_types can only contain 'implicit'/)
      if (place === 'configured') return
      await adapter('Client').upsert('both', client)
      expect((await ask()).status, 'without the grant').to.equal(200)
    })
  }

  it('works on our adapter and what the plugin left in it, without reading it', async () => {
    const adapter = createMemoryAdapter()
    const models: string[] = []
    await using deployment = await deploy({ configuration: { adapter } })
    const subject_token = await deployment.subjectToken()
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    await using alone = await plain({
      adapter: (model) => {
        models.push(model)
        return adapter(model)
      },
      clients: CLIENTS.slice(0, 1),
      features,
    })
    const headers = basic('backend', 'backend-secret')
    const { body } = await alone.post('/token', { grant_type: 'client_credentials' }, headers)
    const token = { token: body.access_token }
    const introspected = await alone.post('/token/introspection', token, headers)
    expect(introspected.body.active).to.equal(true)
    expect(models).to.include('ClientCredentials').and.not.include('SubjectToken')
  })
})

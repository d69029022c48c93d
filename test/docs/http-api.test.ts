import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { certificate } from '../support/certificates.ts'
import { machine } from '../support/clients.ts'
import { deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { snippetsOf } from './documents.ts'

const DOCUMENT = new URL('../../docs/http-api.md', import.meta.url)

// openapi.test.ts has the tables of errors, http-api-commands.test.ts the commands.
describe('docs/http-api.md', () => {
  it('says what introspection answers of an opaque token, and after the end', async () => {
    const document = await readFile(DOCUMENT, 'utf8')
    const [, block = ''] =
      /^### An opaque access token$.*?^```json\n(.*?)^```$/ms.exec(document) ?? []
    await using deployment = await managing()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { id, subjectToken } = await deployment.start()
    const resource = `${deployment.base}/opaque`
    const form = { subject_token: subjectToken, actor_token, resource }
    const { access_token: token } = (await deployment.exchange(form)).body
    const introspect = async () =>
      (await deployment.post('/oidc/token/introspection', { client_id: 'console', token })).body
    const body = await introspect()
    expect(Object.keys(body)).to.have.members(Object.keys(JSON.parse(block)))
    expect(body).to.include({ active: true, sub: 'alice', aud: resource, impersonation_id: id })
    expect(body.act).to.deep.equal({ sub: 'olivia' })
    await deployment.send(`/${id}/end`)
    expect(await introspect()).to.deep.equal({ active: false })
  })

  it('has a configuration with which a backend proves its certificate', async () => {
    await using snippets = await snippetsOf('http-api.md')
    const { mutualTls } = await snippets.load('With mutual TLS')
    const file = join(newFolder(), 'backend.pem')
    await writeFile(file, certificate)
    const { clients, ...configuration } = Object(mutualTls)(file)
    await using deployment = await deploy({
      clients: [{ ...clients[0], client_id: 'bound' }],
      configuration,
      impersonation: { managementApi: { clients: ['bound'] } },
    })
    const headers = { 'x-client-cert': encodeURIComponent(certificate) }
    const form = {
      grant_type: 'client_credentials',
      client_id: 'bound',
      resource: deployment.management,
      scope: 'impersonate',
    }
    const ask = (shown?: typeof headers) => deployment.post('/oidc/token', form, shown)
    expect((await ask()).status).to.equal(401)
    const token: string = (await ask(headers)).body.access_token
    const issue = (shown = {}) => deployment.issue({ userId: 'alice' }, { token, headers: shown })
    expect((await issue()).status).to.equal(401)
    expect((await issue(headers)).status).to.equal(201)
  })

  it('has code that issues in the process of the provider', async () => {
    await using snippets = await snippetsOf('http-api.md')
    const heading = 'From the process of the provider'
    const { issueForTicket } = await snippets.load(heading)
    const clients: ClientMetadata[] = [
      { ...machine, client_id: 'support-backend', client_secret: 'backend-secret' },
      {
        client_id: 'support-tool',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['https://tool.example.com/'],
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      },
    ]
    await using deployment = await deploy({
      clients,
      impersonation: { managementApi: { clients: ['support-backend'] } },
    })
    const { provider } = deployment
    const issue = issueForTicket as (...given: unknown[]) => Promise<{ id: string }>
    const { id } = await issue(provider, undefined, 'alice', 'olivia')
    const { mayAct } = (await provider.impersonation.get(id)) ?? {}
    expect(mayAct).to.deep.equal({ sub: 'olivia', clientId: 'support-tool' })
  })
})

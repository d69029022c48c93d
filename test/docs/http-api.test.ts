import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ClientMetadata } from 'oidc-provider'
import { certificate } from '../support/certificates.ts'
import { application, machine } from '../support/clients.ts'
import { deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { expectAnswer } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { blocksOf, call, snippetsOf } from './documents.ts'

// openapi.test.ts has the tables of errors, http-api-commands.test.ts the commands.
describe('docs/http-api.md', () => {
  it('says what introspection answers of an opaque token, and after the end', async () => {
    const blocks = await blocksOf('http-api.md', 'json')
    const shown = blocks.find((block) => block.includes('impersonation_id')) ?? ''
    await using deployment = await managing()
    const actor_token = await deployment.actorToken()
    const { id, subjectToken } = await deployment.start()
    const resource = `${deployment.base}/opaque`
    const form = { subject_token: subjectToken, actor_token, resource }
    const { access_token: token } = (await deployment.exchange(form)).body
    const introspect = async () =>
      (await deployment.post('/oidc/token/introspection', { client_id: 'console', token })).body
    const body = await introspect()
    expect(Object.keys(body)).to.have.members(Object.keys(JSON.parse(shown)))
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
    const { clients, ...configuration } = call(mutualTls, file)
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
    await expectAnswer(ask(), 401)
    const token: string = (await ask(headers)).body.access_token
    const issue = (shown = {}) => deployment.issue({ userId: 'alice' }, { token, headers: shown })
    await expectAnswer(issue(), 401)
    await expectAnswer(issue(headers), 201)
  })

  it('has code that issues in the process of the provider', async () => {
    await using snippets = await snippetsOf('http-api.md')
    const { issueForTicket } = await snippets.load('From the process of the provider')
    const clients: ClientMetadata[] = [
      { ...machine, client_id: 'support-backend', client_secret: 'backend-secret' },
      { ...application, client_id: 'support-tool' },
    ]
    await using deployment = await deploy({
      clients,
      impersonation: { managementApi: { clients: ['support-backend'] } },
    })
    const { provider } = deployment
    const { id } = await call(issueForTicket, provider, undefined, 'alice', 'olivia')
    const { mayAct } = (await provider.impersonation.get(id)) ?? {}
    expect(mayAct).to.deep.equal({ sub: 'olivia', clientId: 'support-tool' })
  })
})
